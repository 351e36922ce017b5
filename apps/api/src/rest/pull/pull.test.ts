import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { KeyRing } from '@callout/domain/secrets/keyring';
import type { PullOutlook } from '@callout/pipeline/pull/pull-leases';
import { sharedLookup } from '../../http/auth/shared-lookup.ts';
import { createClaimTurns } from './claim-turns.ts';
import { createPullWaiters, type PullWaiters } from '../../waiting/pull-waiters.ts';
import { pull, type PullDeps } from './pull.ts';

const nothing: PullOutlook = { hasDue: false, hasHeld: false, dueInMs: null };
const something: PullOutlook = { ...nothing, hasDue: true };

/** A process whose pool refuses all queries besides the looks. Its clock stands still. */
function world({
  onLook = (): void => undefined,
  isListening = (): boolean => true,
  admit = (): void => undefined,
} = {}) {
  let outlook = nothing;
  let isAllowed = true;
  const looks: (readonly number[])[] = [];
  const waitsMs: number[] = [];
  const waiters = createPullWaiters({ most: 1_000, listen: () => ({ isListening, close: () => undefined }) });
  const notingWaits: PullWaiters = {
    ...waiters,
    enter(...who) {
      const place = waiters.enter(...who);
      return {
        ...place,
        wait(atMostMs) {
          waitsMs.push(atMostMs);
          return place.wait(atMostMs);
        },
      };
    },
  };
  const pool = new Proxy(
    {},
    {
      get: () => {
        throw new Error('a statement beside the look');
      },
    },
  ) as PullDeps['pool'];
  const log = { error: () => undefined } as unknown as PullDeps['log'];
  const deps: PullDeps = {
    pool,
    keyRing: KeyRing.parse(`k1:${Buffer.alloc(32).toString('base64')}`),
    userAgent: 'test',
    threshold: 0,
    log,
    turns: createClaimTurns(),
    waiters: notingWaits,
    admit,
    look: sharedLookup(async (keys) => {
      const seen = outlook;
      onLook();
      looks.push(keys);
      await Promise.resolve();
      return new Map(keys.map((key) => [key, seen]));
    }),
    nowMs: () => 0,
  };
  const ask = (webhookKey: number, gone = new AbortController().signal) =>
    pull(deps, {
      tenantId: webhookKey % 10,
      entityType: 'Account',
      webhookKey,
      max: 10,
      leaseMs: 60_000,
      waitMs: 3_600_000,
      gone,
      isStillAllowed: () => Promise.resolve(isAllowed),
    });
  return {
    looks,
    waitsMs,
    waiters,
    ask,
    becomeDue: () => (outlook = something),
    takeAway: () => (isAllowed = false),
  };
}

const untilLooked = async (looks: readonly unknown[], times: number): Promise<void> => {
  while (looks.length < times) await new Promise(setImmediate);
};

describe('requests that wait', () => {
  it('look with one statement for all that look at the same moment, and with none beside it', async () => {
    const { looks, waiters, ask } = world();
    const keys = Array.from({ length: 100 }, (_, key) => key);
    const asked = keys.map((key) => ask(key));
    // The first lookup runs alone, since it comes first; all others wait for it, and share the next.
    while (looks.flat().length < keys.length) await new Promise(setImmediate);
    expect(looks.map(({ length }) => length)).toEqual([1, 99]);
    waiters.ring(keys);
    while (looks.flat().length < 2 * keys.length) await new Promise(setImmediate);
    expect(looks).toHaveLength(4);
    waiters.stop();
    expect((await Promise.all(asked)).flat()).toEqual([]);
  });

  it('of one webhook, however many, are one look', async () => {
    const { looks, waiters, ask } = world();
    const asked = Array.from({ length: 100 }, () => ask(7));
    await untilLooked(looks, 2);
    expect(looks).toEqual([[7], [7]]);
    waiters.stop();
    await Promise.all(asked);
  });

  it.each([
    ['have arrived since before the look', () => true, 10_000],
    ['began to arrive during the look, which one may have missed', (looked: boolean) => looked, 2_000],
    ['stopped arriving during the look', (looked: boolean) => !looked, 2_000],
    ['do not arrive', () => false, 2_000],
  ])('look again soon unless all signals arrive: they %s', async (_, isListeningOnce, longestMs) => {
    let hasLooked = false;
    const onLook = () => void (hasLooked = true);
    const { waitsMs, waiters, ask } = world({ onLook, isListening: () => isListeningOnce(hasLooked) });
    const asked = ask(7);
    await untilLooked(waitsMs, 1);
    waiters.stop();
    await asked;
    expect(waitsMs).toEqual([longestMs]);
  });

  it('get nothing when their credential was revoked while they waited', async () => {
    const { looks, waiters, ask, becomeDue, takeAway } = world();
    const response = ask(7);
    await untilLooked(looks, 1);
    takeAway();
    becomeDue();
    waiters.ring([7]);
    await expect(response).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('claim what is due, at once and after a wait', async () => {
    const { looks, waiters, ask, becomeDue } = world();
    const waited = ask(7);
    await untilLooked(looks, 1);
    becomeDue();
    waiters.ring([7]);
    await expect(waited).rejects.toThrow('a statement beside the look');
    await expect(ask(8)).rejects.toThrow('a statement beside the look');
  });

  it('claim nothing while their tenant has too many responses to read, also after a wait', async () => {
    const { looks, waiters, ask, becomeDue } = world({
      admit: () => {
        throw Problem.tooManyRequests('read those first', 1);
      },
    });
    const waited = ask(7);
    await untilLooked(looks, 1);
    becomeDue();
    waiters.ring([7]);
    await expect(waited).rejects.toMatchObject({ kind: 'tooMany' });
  });
});
