import { describe, expect, it } from '@jest/globals';
import { notifyParent } from './notify-parent.ts';

describe('notifyParent', () => {
  it('sends the port to a connected parent, and nothing without one', () => {
    const messages: unknown[] = [];
    const send = (message: unknown) => messages.push(message);
    notifyParent({ connected: true, send }, 8081);
    notifyParent({ connected: false, send }, 1);
    notifyParent({}, 2);
    expect(messages).toEqual([{ listeningOn: 8081 }]);
  });
});
