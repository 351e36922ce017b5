import { describe, expect, it } from '@jest/globals';
import { tellParent } from './tell-parent.ts';

describe('tellParent', () => {
  it('tells the port to a parent that is there, and is silent without one', () => {
    const told: unknown[] = [];
    const send = (message: unknown) => told.push(message);
    tellParent({ connected: true, send }, 8081);
    tellParent({ connected: false, send }, 1);
    tellParent({}, 2);
    expect(told).toEqual([{ listeningOn: 8081 }]);
  });
});
