import { randomUUID } from 'node:crypto';
import { cancelOne, cancelRange } from './cancel-callouts.ts';
import { redeliverOne, redeliverRange } from './redeliver.ts';
import { sumOfRedeliveries } from './redelivery-order.rules.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, failed } from '../fixtures/callouts.ts';
import { newId } from '@callout/database/schema/ids';
import { anyCallout, missed, useRepairs, type Target } from './ended-callouts.fixture.ts';

const setup = useRepairs(createDisposableDatabase);
let target: Target;

beforeEach(async () => {
  target = await setup.makeWebhook();
  setup.enqueued.length = 0;
});

const redeliver = async (range = {}) =>
  (await redeliverRange(setup.deps, target.address, { ...missed, ...range })).queued;
const bodyOf = async (id: string) => setup.database.prisma.calloutBody.findUnique({ where: { calloutId: id } });

describe('redeliverRange', () => {
  it('reopens failed and cancelled callouts, not delivered ones, in the order of the numbers', async () => {
    await target.make(7, 7, 8);
    await target.deliverAll(failed);
    await target.make(7);
    await target.deliverAll(delivered);
    await target.make(9);
    await cancelRange(setup.deps, target.address, anyCallout);

    expect(await redeliver()).toBe(4);
    expect(setup.enqueued).toEqual([target.key]);
    expect(await target.open()).toEqual(['7/1 due', '7/2 waiting', '8/3 due', '9/5 due']);
    const seen = await target.look();
    expect(seen.filter(({ isFinished }) => isFinished).map(({ sequenceNumber }) => sequenceNumber)).toEqual([4]);
    expect(await redeliver()).toBe(0);
    expect(await target.deliverAll(delivered)).toEqual(expect.arrayContaining([1, 2, 3, 5]));
  });

  it('keeps id, body, eventID and the count of attempts, and restarts the schedule', async () => {
    const [id = ''] = await target.make(7);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await target.settle(await target.claim(), attempt < 2 ? { kind: 'retry', waitMs: 0 } : failed);
    }
    const body = await bodyOf(id);
    expect(await redeliver()).toBe(1);
    const [claimed] = await target.claim();
    expect(claimed).toMatchObject({ id, attemptsMade: 3, attemptsBefore: 3, isRedelivery: true, body: body?.body });
    await target.settle(claimed ? [claimed] : [], failed);
    expect(await redeliver()).toBe(1);
    const [again] = await target.claim();
    expect(again).toMatchObject({ id, attemptsMade: 4, attemptsBefore: 4 });
  });

  it('keeps the eventID of the caller, or uses the id of the event when it is no longer stored', async () => {
    const { pool } = setup.database;
    const [kept, gone] = [newId(), newId()];
    const callouts = await target.make(7, 8);
    await pool.query(
      'UPDATE callouts c SET event_id = e.id FROM unnest($1::uuid[], $2::uuid[]) AS e (callout, id) WHERE c.id = e.callout',
      [callouts, [kept, gone]],
    );
    await pool.query(
      `INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
         changed_fields, changed_udfs, fields, udf_fields)
       VALUES ($1, $2, 'Account', 7, 1, 'Update', 1, 'order-17', now(), '{}', '{}', '{}', '{}')`,
      [kept, target.tenantId],
    );
    await target.deliverAll(failed);
    await redeliver();
    const claimed = await target.claim();
    expect(claimed.map(({ eventId }) => eventId)).toEqual(['order-17', gone]);
  });

  it('reopens only the given states, numbers and times', async () => {
    const ids = await target.make(1, 2, 3, 4);
    await target.deliverAll(delivered);
    expect(await redeliver()).toBe(0);
    expect(await redeliver({ states: ['waiting', 'held', 'due'] })).toBe(0);
    expect(await redeliver({ states: ['delivered'], fromSequence: 2, toSequence: 3 })).toBe(2);
    expect(await target.open()).toEqual(['2/2 due', '3/3 due']);
    const states = ['delivered'] as const;
    expect(await redeliver({ states, until: new Date('1960-01-01') })).toBe(0);
    expect(await redeliver({ states, since: new Date(Date.now() + 3_600_000) })).toBe(0);
    const madeAt = new Date(Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16));
    expect(await redeliver({ states, since: madeAt, until: new Date(madeAt.getTime() + 3_600_000) })).toBe(2);
    expect(await redeliver({ fromSequence: Number.MAX_SAFE_INTEGER })).toBe(0);
  });

  it('makes a later callout that is due, held or rescheduled wait', async () => {
    await target.make(1, 2, 3);
    await target.deliverAll(failed);
    await target.make(1, 2, 3);
    await target.make(1);
    const { pool } = setup.database;
    await pool.query("UPDATE open_callouts SET state = 'held' WHERE webhook_key = $1 AND record_id = 2", [target.key]);
    await pool.query(
      "UPDATE open_callouts SET due_at = now() + interval '1 hour' WHERE webhook_key = $1 AND record_id = 3",
      [target.key],
    );
    await redeliver();
    expect(await target.open()).toEqual([
      ...['1/1 due', '1/4 waiting', '1/7 waiting', '2/2 due', '2/5 waiting', '3/3 due', '3/6 waiting'],
    ]);
    expect(await target.deliverAll(delivered)).toEqual([1, 2, 3, 4, 5, 7]);
    // The rescheduled one is due at its later time still.
    const rescheduled = (await target.look()).find(({ sequenceNumber }) => sequenceNumber === 6);
    expect(rescheduled?.dueInMs).toBeGreaterThan(3_500_000);
  });

  it('waits for a later callout that is being sent, and precedes it when it must be retried', async () => {
    await target.make(1, 2);
    await target.deliverAll(failed);
    await target.make(1, 2);
    const [ends, fails] = await target.claim();
    await redeliver();
    expect(await target.open()).toEqual(['1/1 due', '1/3 waiting', '2/2 due', '2/4 waiting']);
    // Nothing of these records is sent while the leases last.
    expect(await target.claim()).toEqual([]);
    for (const { state, dueInMs, isLeased } of await target.look()) {
      if (state === 'due') expect(dueInMs).toBeGreaterThan(50_000);
      if (state === 'waiting') expect(isLeased).toBe(true);
    }
    await target.settle(ends ? [ends] : [], delivered);
    await target.settle(fails ? [fails] : [], { kind: 'retry', waitMs: 0 });
    expect(await target.open()).toEqual(['1/1 due', '2/2 due', '2/4 waiting']);
    await setup.database.pool.query('UPDATE open_callouts SET due_at = now() WHERE webhook_key = $1', [target.key]);
    expect(await target.deliverAll(delivered)).toEqual([1, 2, 4]);
  });

  it('reopens more than a thousand in several transactions, with those of one record in order', async () => {
    await insertMany(2_500, 3);
    await setup.database.pool.query(
      "UPDATE callouts SET state = 'delivered' WHERE webhook_key = $1 AND sequence_number BETWEEN 600 AND 1700",
      [target.key],
    );
    expect(await redeliver()).toBe(1_399);
    expect(setup.enqueued.length).toBe(2);
    const sent = await target.deliverAll(delivered);
    expect(sent).toHaveLength(1_399);
    for (const recordId of [0, 1, 2]) {
      const ofRecord = sent.filter((number) => number % 3 === recordId);
      expect(ofRecord).toEqual(ofRecord.toSorted((a, b) => a - b));
    }
  });

  it('refuses an inactive webhook and does not find a deleted one', async () => {
    await target.make(7);
    await target.deliverAll(failed);
    const { pool } = setup.database;
    await pool.query('UPDATE webhooks SET is_active = false WHERE key = $1', [target.key]);
    await expect(redeliver()).rejects.toMatchObject({ kind: 'conflict' });
    await pool.query('UPDATE webhooks SET is_active = true, deleted_at = now() WHERE key = $1', [target.key]);
    await expect(redeliver()).rejects.toMatchObject({ kind: 'notFound' });
    expect(await target.open()).toEqual([]);
  });
});

describe('redeliverOne', () => {
  it('reopens a callout in any final state, and leaves an open one unchanged', async () => {
    const [id = ''] = await target.make(7);
    const again = async () => (await redeliverOne(setup.deps, target.callout(id.toUpperCase()))).queued;
    expect(await again()).toBe(0);
    const before = await target.look();
    expect(before).toEqual([expect.objectContaining({ state: 'due', isRedelivery: false })]);
    await target.deliverAll(delivered);
    expect(await again()).toBe(1);
    expect(await again()).toBe(0);
    expect(await target.open()).toEqual(['7/1 due']);
  });

  it('reopens a callout once, however many requests come at the same time', async () => {
    const [id = ''] = await target.make(7);
    await target.deliverAll(failed);
    const parts = await Promise.all(Array.from({ length: 8 }, () => redeliverOne(setup.deps, target.callout(id))));
    expect(sumOfRedeliveries(parts)).toEqual({ queued: 1, older: 0 });
  });

  it('drops the late result of an attempt that was under way when it was cancelled', async () => {
    const [id = ''] = await target.make(7);
    const claimed = await target.claim();
    await cancelOne(setup.deps, target.callout(id));
    expect(await redeliverOne(setup.deps, target.callout(id))).toEqual({ queued: 1, older: 0 });
    await target.settle(claimed, delivered);
    expect(await target.open()).toEqual(['7/1 due']);
  });

  it('says whether a later callout of the record was delivered since', async () => {
    const [first = ''] = await target.make(7);
    await target.deliverAll(failed);
    const [second = ''] = await target.make(7);
    await target.deliverAll(delivered);
    expect(await redeliverOne(setup.deps, target.callout(first))).toEqual({ queued: 1, older: 1 });
    await target.deliverAll(delivered);
    expect(await redeliverOne(setup.deps, target.callout(second))).toEqual({ queued: 1, older: 0 });
    expect(await redeliverOne(setup.deps, target.callout(second))).toEqual({ queued: 0, older: 0 });
  });

  it.each(['test', 'deactivation'])('refuses a %s', async (kind) => {
    const [id = ''] = await target.make(7);
    await target.deliverAll(failed);
    await setup.database.pool.query('UPDATE callouts SET kind = $2 WHERE id = $1', [id, kind]);
    await expect(redeliverOne(setup.deps, target.callout(id))).rejects.toMatchObject({ kind: 'conflict' });
    expect(await redeliver()).toBe(0);
  });

  it('finds neither the callouts of another webhook nor invalid ids', async () => {
    const [id = ''] = await target.make(7);
    await target.deliverAll(failed);
    const other = await setup.makeWebhook();
    for (const [webhook, calloutId] of [
      [other.address, id],
      [{ ...target.address, tenantId: other.tenantId }, id],
      [{ ...target.address, id: 2 }, id],
      [target.address, randomUUID()],
      [target.address, 'x'],
      [target.address, `${id}'`],
    ] as const) {
      await expect(redeliverOne(setup.deps, { webhook, calloutId })).rejects.toMatchObject({ kind: 'notFound' });
    }
    expect(await target.open()).toEqual([]);
  });
});

/** Failed callouts of records 0, 1, 2 …, as if they had been sent long ago. */
async function insertMany(count: number, records: number): Promise<void> {
  const now = Date.now().toString(16).padStart(12, '0');
  const prefix = `${now.slice(0, 8)}-${now.slice(8)}-7000-8000-`;
  await setup.database.pool.query(
    `WITH new AS (
       SELECT ($4::text || lpad(to_hex(n + $2 * 100000), 12, '0'))::uuid AS id, n FROM generate_series(1, $3::int) AS n
     ), bodies AS (
       INSERT INTO callout_bodies SELECT id, '{}' FROM new
     ), numbers AS (
       UPDATE webhooks SET last_sequence = $3::int WHERE key = $2
     )
     INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, state,
       finished_at)
     SELECT id, $1, $2, n, id, 'Account', 1 + n % $5::int, 'Update', 'failed', now() FROM new`,
    [target.tenantId, target.key, count, prefix, records],
  );
}
