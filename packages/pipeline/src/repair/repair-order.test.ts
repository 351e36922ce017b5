import { beforeAll, describe, expect, it } from '@jest/globals';
import { cancelOne, cancelRange } from './cancel-callouts.ts';
import { redeliverOne, redeliverRange } from './redeliver.ts';
import * as fc from 'fast-check';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import type { Settlement } from '../settle/settlement.rules.ts';
import { delivered, failed } from '../fixtures/callouts.ts';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { anyCallout, useRepairs, type SeenCallout, type Target } from './ended-callouts.fixture.ts';
import { knownTransitions } from '@callout/domain/callout/transitions';
import { seenTransitions, watchTransitions } from './watched-transitions.fixture.ts';

const setup = useRepairs(createDisposableDatabase);

beforeAll(async () => {
  await watchTransitions(setup.database.pool);
});

const records = [1, 2];
const retry: Settlement['next'] = { kind: 'retry', waitMs: 0 };

type Step =
  | { readonly do: 'make'; readonly recordId: number }
  | { readonly do: 'claim'; readonly slots: number }
  | { readonly do: 'settle'; readonly nth: number; readonly next: Settlement['next'] }
  | { readonly do: 'settleAll'; readonly next: Settlement['next'] }
  | { readonly do: 'redeliver' | 'cancel'; readonly range: CalloutRange }
  | { readonly do: 'redeliverOne' | 'cancelOne'; readonly nth: number }
  | { readonly do: 'endLeases' };

const number = fc.nat({ max: 12 });
const next = fc.constantFrom<Settlement['next']>(delivered, failed, retry);
const range: fc.Arbitrary<CalloutRange> = fc
  .tuple(
    number,
    number,
    fc.option(fc.subarray(['delivered', 'failed', 'cancelled', 'waiting', 'due'] as const, { minLength: 1 })),
  )
  .map(([a, b, states]) => ({ ...anyCallout, states, fromSequence: Math.min(a, b), toSequence: Math.max(a, b) }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('make' as const), recordId: fc.constantFrom(...records) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claim' as const), slots: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), nth: number, next }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settleAll' as const), next }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('redeliver' as const, 'cancel' as const), range }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('redeliverOne' as const, 'cancelOne' as const), nth: number }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('endLeases' as const) }) },
);

/** Steps that cause every kind of transition. */
const everyKind: Step[] = [
  ...[1, 1, 2].map((recordId): Step => ({ do: 'make', recordId })),
  { do: 'claim', slots: 2 },
  { do: 'cancel', range: anyCallout },
  { do: 'settle', nth: 0, next: delivered },
  { do: 'settle', nth: 0, next: failed },
  ...[delivered, failed].flatMap((result): Step[] => [
    { do: 'redeliver', range: anyCallout },
    { do: 'endLeases' },
    ...[1, 2].flatMap((): Step[] => [
      { do: 'claim', slots: 2 },
      { do: 'settleAll', next: result },
    ]),
  ]),
  { do: 'make', recordId: 1 },
  { do: 'claim', slots: 1 },
  { do: 'redeliver', range: anyCallout },
  { do: 'settle', nth: 0, next: retry },
];

/** Simulates the passing of time: leases have ended, and retries are due. */
async function endLeases({ key }: Target): Promise<void> {
  await setup.database.pool.query(
    `UPDATE open_callouts SET lease_until = least(lease_until, now()), due_at = least(due_at, now()) WHERE webhook_key = $1`,
    [key],
  );
}

/** Runs a step; `inHand`: callouts that workers have claimed and not settled yet, also those whose leases ended. */
async function perform(target: Target, inHand: ClaimedCallout[], one: Step): Promise<void> {
  switch (one.do) {
    case 'make':
      await target.make(one.recordId);
      return;
    case 'claim':
      inHand.push(...(await claimInOrder(target, one.slots)));
      return;
    case 'settle':
      await target.settle(inHand.splice(one.nth % Math.max(1, inHand.length), 1), one.next);
      return;
    case 'settleAll':
      await target.settle(inHand.splice(0), one.next);
      return;
    case 'redeliver':
      await redeliverRange(setup.deps, target.address, one.range);
      return;
    case 'cancel':
      await cancelRange(setup.deps, target.address, one.range);
      return;
    case 'endLeases':
      await endLeases(target);
      return;
    case 'redeliverOne':
    case 'cancelOne': {
      const seen = await target.look();
      const callout = seen[one.nth % Math.max(1, seen.length)];
      const repair = one.do === 'cancelOne' ? cancelOne : redeliverOne;
      if (callout !== undefined) await repair(setup.deps, target.callout(callout.id));
    }
  }
}

/** A callout that is sent precedes all later open ones of its record, and no other of its record is being sent. */
async function claimInOrder(target: Target, slots: number): Promise<ClaimedCallout[]> {
  const before = await target.look();
  const claimed = await target.claim(slots);
  for (const { id, recordId, sequenceNumber } of claimed) {
    const others = before.filter((one) => one.recordId === recordId && one.attemptsMade !== null && one.id !== id);
    expect(others.filter((one) => one.sequenceNumber < sequenceNumber || one.isLeased)).toEqual([]);
  }
  return claimed;
}

/** Invariants between any two transactions. */
function expectInvariants(seen: readonly SeenCallout[]): void {
  for (const { attemptsMade, isFinished } of seen) expect(isFinished).toBe(attemptsMade === null);
  for (const recordId of records) {
    const open = seen.filter((one) => one.recordId === recordId && one.attemptsMade !== null);
    const states = open.map(({ state }) => state);
    expect(states).toEqual(open.map((_, index) => (index === 0 ? 'due' : 'waiting')));
    const underWay = open.filter(({ isLeased }) => isLeased);
    expect(underWay.length).toBeLessThanOrEqual(1);
    const [first] = open;
    const [leased] = underWay;
    // A later callout that is being sent delays the first one.
    if (first !== undefined && leased !== undefined && leased !== first) {
      expect(first.dueInMs ?? 0).toBeGreaterThanOrEqual(leased.leaseInMs ?? 0);
    }
  }
}

describe('callouts of a record', () => {
  it('are sent one at a time and in order, with any redeliveries and cancellations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
        const target = await setup.makeWebhook();
        const inHand: ClaimedCallout[] = [];
        for (const one of steps) {
          await perform(target, inHand, one);
          expectInvariants(await target.look());
        }
        await endLeases(target);
        await target.deliverAll(delivered);
        await endLeases(target);
        await target.deliverAll(delivered);
        expect(await target.open()).toEqual([]);
      }),
      { numRuns: 15, examples: [[everyKind]] },
    );
  });

  it('stay in order, without a deadlock, under concurrent match, workers and repairs', async () => {
    const target = await setup.makeWebhook();
    const work = async (outcome: Settlement['next']) => target.settle(await target.claim(3), outcome);
    for (let round = 0; round < 20; round += 1) {
      const some = { ...anyCallout, fromSequence: round, toSequence: round * 4 };
      const [a = '', b = ''] = await target.make(1, 2);
      await Promise.all([
        target.make(1, 2),
        work(delivered),
        work(failed),
        redeliverRange(setup.deps, target.address, some),
        cancelRange(setup.deps, target.address, some),
        redeliverOne(setup.deps, target.callout(a)),
        work(retry),
        cancelOne(setup.deps, target.callout(b)),
        target.make(2, 1),
        work(delivered),
      ]);
      expectInvariants(await target.look());
      await endLeases(target);
    }
    for (let round = 0; (await target.open()).length > 0 && round < 1_000; round += 1) {
      await work(delivered);
      await endLeases(target);
    }
    expect(await target.open()).toEqual([]);
  });

  it('do not wait for ever when two of them end together', async () => {
    const target = await setup.makeWebhook();
    await target.make(1);
    await target.deliverAll(failed);
    await target.make(1, 1);
    const late = await target.claim();
    await redeliverRange(setup.deps, target.address, anyCallout);
    await endLeases(target);
    const [first] = await target.claim();
    expect(first?.sequenceNumber).toBe(1);
    await target.settle([...late, ...(first ? [first] : [])], delivered);
    expect(await target.open()).toEqual(['1/3 due']);
  });

  it('do not wait for ever when two workers end two of them at the same moment', async () => {
    const target = await setup.makeWebhook();
    await target.make(1);
    await target.deliverAll(failed);
    const [overtaken = ''] = await target.make(1, 1);
    await target.claim();
    await redeliverRange(setup.deps, target.address, anyCallout);
    await endLeases(target);
    const first = await target.claim();
    let settling: Promise<void> = Promise.resolve();
    await inTransaction(setup.database.pool, async (transaction) => {
      await transaction.query('DELETE FROM open_callouts WHERE callout_id = $1', [overtaken]);
      await transaction.query("UPDATE callouts SET state = 'delivered', finished_at = now() WHERE id = $1", [
        overtaken,
      ]);
      settling = target.settle(first, delivered);
      await untilATransactionWaits();
    });
    await settling;
    expect(await target.open()).toEqual(['1/3 due']);
  });
});

async function untilATransactionWaits(): Promise<void> {
  for (;;) {
    const { rows } = await setup.database.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    if (rows.length > 0) return;
  }
}

it('make no transition that is missing in the table of states', async () => {
  const seen = await seenTransitions(setup.database.pool);
  expect(seen.filter((transition) => !knownTransitions.has(transition))).toEqual([]);
  const reopened = ['delivered', 'failed', 'cancelled'].flatMap((state) => [`${state} → due`, `${state} → waiting`]);
  expect(seen).toEqual(
    expect.arrayContaining([
      ...reopened,
      'due → waiting',
      'due → cancelled',
      'waiting → cancelled',
      'cancelled → delivered',
    ]),
  );
});
