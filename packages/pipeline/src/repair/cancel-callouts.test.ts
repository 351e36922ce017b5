import { randomUUID } from 'node:crypto';
import { cancelOne, cancelRange } from './cancel-callouts.ts';
import { redeliverRange } from './redeliver.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, failed } from '../fixtures/callouts.ts';
import { anyCallout, useRepairs, type Target } from './ended-callouts.fixture.ts';

const setup = useRepairs(createDisposableDatabase);
let target: Target;

beforeEach(async () => {
  target = await setup.makeWebhook();
  setup.enqueued.length = 0;
});

const cancel = (range = {}) => cancelRange(setup.deps, target.address, { ...anyCallout, ...range });
const leaseOf = async (id: string) =>
  (await setup.database.prisma.callout.findUniqueOrThrow({ where: { id } })).cancelledLease;

describe('cancelRange', () => {
  it('cancels every open callout, and none that has ended', async () => {
    await target.make(1);
    await target.deliverAll(failed);
    await target.make(1, 1, 2, 3);
    await setup.database.pool.query(
      "UPDATE open_callouts SET state = 'held' WHERE webhook_key = $1 AND record_id = 3",
      [target.key],
    );
    await target.claim(1);
    expect(await cancel()).toBe(4);
    const states = (await target.look()).map(({ state, isFinished }) => [state, isFinished]);
    expect(states).toEqual([['failed', true], ...Array<unknown>(4).fill(['cancelled', true])]);
    expect(await cancel()).toBe(0);
    expect(setup.enqueued).toEqual([]);
  });

  it('makes the next of each record due, and enqueues its webhook', async () => {
    await target.make(1, 1, 1, 2);
    expect(await cancel({ toSequence: 2 })).toBe(2);
    expect(await target.open()).toEqual(['1/3 due', '2/4 due']);
    expect(setup.enqueued).toEqual([target.key]);
    expect(await target.deliverAll(delivered)).toEqual([3, 4]);
  });

  it('cancels callouts in the middle of a record', async () => {
    await target.make(1, 1, 1);
    expect(await cancel({ fromSequence: 2, toSequence: 2 })).toBe(1);
    expect(await target.open()).toEqual(['1/1 due', '1/3 waiting']);
    expect(setup.enqueued).toEqual([]);
  });

  it('cancels only the given states and times', async () => {
    await target.make(1, 1, 2);
    expect(await cancel({ states: ['held', 'delivered'] })).toBe(0);
    expect(await cancel({ until: new Date(Date.now() - 3_600_000) })).toBe(0);
    expect(await cancel({ states: ['waiting'], since: new Date(Date.now() - 3_600_000) })).toBe(1);
    expect(await target.open()).toEqual(['1/1 due', '2/3 due']);
  });

  it('stores the lease of an attempt that is under way, whose success still counts', async () => {
    const [good = '', bad = ''] = await target.make(1, 2);
    const [one, two] = await target.claim();
    expect(await cancel()).toBe(2);
    expect(await leaseOf(good)).toBe(one?.leaseOwner);
    await target.settle(one ? [one] : [], delivered);
    await target.settle(two ? [two] : [], failed);
    const states = (await target.look()).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'cancelled']);
    expect(await leaseOf(bad)).toBeNull();
  });

  it('keeps the time of a retry that the next callout has to wait for', async () => {
    await target.make(1);
    await target.deliverAll(failed);
    await target.make(1);
    const later = await target.claim();
    await redeliverRange(setup.deps, target.address, anyCallout);
    await target.settle(later, { kind: 'retry', waitMs: 3_600_000 });
    expect(await target.open()).toEqual(['1/1 due', '1/2 waiting']);
    await cancel({ toSequence: 1 });
    const [, next] = await target.look();
    expect(next).toMatchObject({ state: 'due' });
    expect(next?.dueInMs).toBeGreaterThan(3_500_000);
  });

  it('cancels thousands in several transactions, the first of a record last', async () => {
    for (let n = 0; n < 30; n += 1) await target.make(1, 2);
    await multiply(40);
    const before = await target.open();
    expect(before).toHaveLength(2_460);
    expect(await cancel({ fromSequence: 2 })).toBe(2_459);
    expect(await target.open()).toEqual(['1/1 due']);
    // Nothing became due between the transactions.
    expect(setup.enqueued).toEqual([]);
  });

  it('leaves deactivation calls and tests alone', async () => {
    await target.make(1, 2);
    const { pool } = setup.database;
    await pool.query(
      `UPDATE open_callouts SET record_id = record_id - 2, kind = CASE record_id WHEN 1 THEN 'deactivation' ELSE 'test' END
       WHERE webhook_key = $1`,
      [target.key],
    );
    expect(await cancel()).toBe(0);
    expect(await target.open()).toHaveLength(2);
  });
});

describe('cancelOne', () => {
  it('cancels one, and the next of its record is sent', async () => {
    const [first = '', second = ''] = await target.make(1, 1, 1);
    expect(await cancelOne(setup.deps, target.callout(second))).toBe(1);
    expect(await target.open()).toEqual(['1/1 due', '1/3 waiting']);
    expect(await cancelOne(setup.deps, target.callout(first))).toBe(1);
    expect(await target.open()).toEqual(['1/3 due']);
    expect(await cancelOne(setup.deps, target.callout(first))).toBe(0);
  });

  it.each([
    ['test', 1],
    ['deactivation', undefined],
  ])('of a %s: %s', async (kind, cancelled) => {
    const [id = ''] = await target.make(1);
    await setup.database.pool.query('UPDATE callouts SET kind = $2 WHERE id = $1', [id, kind]);
    const cancelling = cancelOne(setup.deps, target.callout(id));
    if (cancelled === undefined) await expect(cancelling).rejects.toMatchObject({ kind: 'conflict' });
    else expect(await cancelling).toBe(cancelled);
  });

  it('finds neither the callouts of another webhook nor invalid ids', async () => {
    const [id = ''] = await target.make(1);
    const other = await setup.makeWebhook();
    for (const [webhook, calloutId] of [
      [other.address, id],
      [{ ...target.address, entityType: 'Contact' }, id],
      [target.address, randomUUID()],
      [target.address, '1'],
    ] as const) {
      await expect(cancelOne(setup.deps, { webhook, calloutId })).rejects.toMatchObject({ kind: 'notFound' });
    }
    expect(await target.open()).toEqual(['1/1 due']);
  });
});

/** Stores more callouts behind the open ones: this many times the number of each record. */
async function multiply(times: number): Promise<void> {
  await setup.database.pool.query(
    `WITH source AS (
       SELECT record_id, n, row_number() OVER (ORDER BY n, callout_id) AS nth
       FROM open_callouts, generate_series(1, $2::int) AS n WHERE webhook_key = $1
     ), new AS (
       SELECT made.id, record_id, nth FROM source, LATERAL (
         SELECT (substring(max(callout_id::text), 1, 24) || lpad(to_hex(nth), 12, '0'))::uuid AS id FROM open_callouts
         WHERE webhook_key = $1
       ) AS made
     ), history AS (
       INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action)
       SELECT id, $3, $1, 60 + nth, id, 'Account', record_id, 'Update' FROM new
     ), numbers AS (
       UPDATE webhooks SET last_sequence = (SELECT 60 + max(nth) FROM new) WHERE key = $1
     )
     INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state,
       due_at)
     SELECT id, $3, $1, 'Account', record_id, 'Update', 60 + nth, 'waiting', now() FROM new`,
    [target.key, times, target.tenantId],
  );
}
