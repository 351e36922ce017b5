import { describe, expect, it } from '@jest/globals';
import { createClaimTurns } from './claim-turns.ts';

/** A webhook with that many due callouts; a claim returns one of them. */
function world(callouts: number) {
  const [turns, seen] = [createClaimTurns(), { claims: 0, atOnce: 0, mostAtOnce: 0 }];
  let left = callouts;
  const claim = (webhookKey = 7) =>
    turns.claim(webhookKey, async () => {
      seen.claims += 1;
      seen.atOnce += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
      await Promise.resolve();
      seen.atOnce -= 1;
      if (left === 0) return [];
      left -= 1;
      return [webhookKey];
    });
  return { turns, seen, claim, add: () => (left += 1) };
}

describe('claims of one webhook', () => {
  it('of many who are woken for one callout are two, one after the other', async () => {
    const { seen, claim } = world(1);
    const found = await Promise.all(Array.from({ length: 100 }, () => claim()));
    expect(found.flat()).toEqual([7]);
    expect(seen).toMatchObject({ claims: 2, mostAtOnce: 1 });
  });

  it('go on while they find something', async () => {
    const { seen, claim } = world(5);
    const found = await Promise.all(Array.from({ length: 4 }, () => claim()));
    expect([found.flat().length, seen.claims]).toEqual([4, 4]);
  });

  it('are not left out for one that began before', async () => {
    const { claim, add } = world(0);
    const before = claim();
    await Promise.resolve();
    add();
    expect([await before, await claim()].flat()).toEqual([7]);
  });

  it('of different webhooks do not wait for each other, and a failure ends one alone', async () => {
    const { turns, seen, claim } = world(3);
    const failed = turns.claim(7, () => Promise.reject(new Error('away')));
    const others = [claim(7), claim(8), claim(9)];
    await expect(failed).rejects.toThrow('away');
    expect((await Promise.all(others)).flat()).toEqual([7, 8, 9]);
    expect(seen.mostAtOnce).toBeGreaterThan(1);
  });
});
