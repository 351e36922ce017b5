import { describe, expect, it } from '@jest/globals';
import { readPullMessage, writePullMessages } from './pull-signals.ts';

describe('a pull message', () => {
  it.each([[[]], [[7]], [[1, 2, 3]], [Array.from({ length: 25_000 }, (_, nth) => Number.MAX_SAFE_INTEGER / 10 - nth)]])(
    'contains the keys of any number of webhooks',
    (keys) => {
      const webhookKeys = keys.map(Math.floor);
      expect(writePullMessages(webhookKeys).flatMap((ring) => readPullMessage(ring))).toEqual(webhookKeys);
    },
  );

  it.each(['', ',', '1,', '1;2', '-1', '1.5', '1234567890123456', `1${',1'.repeat(50_000)}`])(
    'is refused unless Callout has written it: %#',
    (text) => {
      expect(readPullMessage(text)).toBeUndefined();
    },
  );
});
