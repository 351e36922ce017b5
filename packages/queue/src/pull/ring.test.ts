import { describe, expect, it } from '@jest/globals';
import { readRing, writeRings } from './ring.ts';

describe('a ring', () => {
  it.each([[[]], [[7]], [[1, 2, 3]], [Array.from({ length: 25_000 }, (_, nth) => Number.MAX_SAFE_INTEGER / 10 - nth)]])(
    'names whatever webhooks have something to fetch',
    (keys) => {
      const webhookKeys = keys.map(Math.floor);
      expect(writeRings(webhookKeys).flatMap((ring) => readRing(ring))).toEqual(webhookKeys);
    },
  );

  it.each(['', ',', '1,', '1;2', '-1', '1.5', '1234567890123456', `1${',1'.repeat(50_000)}`])(
    'is nothing unless Callout has written it: %#',
    (text) => {
      expect(readRing(text)).toBeUndefined();
    },
  );
});
