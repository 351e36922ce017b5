import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimRules, delivered, failed, insertCallout, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { claimDueCallouts } from '../deliver/claim.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { settleAttempts } from './settle.ts';
import type { SettleResult } from './store.ts';
import type { Settlement } from './settlement.rules.ts';
import { webhooksWithDueCallouts } from '../sweep/find-due.ts';

const database = useDatabase(createDisposableDatabase);
let tenantId: number;
let webhookKey: number;

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

const makeCallout = (recordId: number): Promise<string> =>
  insertCallout(database.pool, { tenantId, webhookKey, recordId });

async function claimAll(): Promise<ClaimedCallout[]> {
  return claimDueCallouts(database.pool, [{ webhookKey, slots: 100 }], claimRules);
}

const settle = (settlements: readonly Settlement[]): Promise<SettleResult> =>
  settleAttempts(database.pool, settlements, settleRules);

async function stateOf(calloutId: string): Promise<{ state: string; openState: string | null }> {
  const { rows } = await database.pool.query<{ state: string; openState: string | null }>(
    `SELECT c.state, o.state AS "openState" FROM callouts c LEFT JOIN open_callouts o ON o.callout_id = c.id
     WHERE c.id = $1`,
    [calloutId],
  );
  const [row] = rows;
  if (!row) throw new Error(`no callout ${calloutId}`);
  return row;
}

/** Waits until a transaction waits for the locks of another one. */
async function untilOneWaits(): Promise<void> {
  for (let waiting = 0; waiting === 0;) {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    waiting = rows.length;
  }
}

describe('claiming', () => {
  it('leases due callouts to one worker, as many as there are slots', async () => {
    await makeCallout(1);
    await makeCallout(2);
    const [first] = await claimDueCallouts(database.pool, [{ webhookKey, slots: 1 }], claimRules);
    expect(first).toMatchObject({ recordId: 1, sequenceNumber: 1, attemptsMade: 0, body: '{}' });
    const others = await Promise.all([claimAll(), claimAll()]);
    expect(others.flat().map((callout) => callout.recordId)).toEqual([2]);
  });

  it('finds callouts that are due from this very moment', async () => {
    const id = await makeCallout(1);
    for (let round = 0; round < 50; round += 1) {
      const { rows } = await database.pool.query<{ isDue: boolean }>(
        'UPDATE open_callouts SET due_at = now(), lease_until = now() WHERE callout_id = $1 RETURNING due_at <= now() AND lease_until <= now() AS "isDue"',
        [id],
      );
      expect(rows).toEqual([{ isDue: true }]);
    }
  });

  it('skips callouts that wait for an earlier one of their record', async () => {
    await makeCallout(1);
    await makeCallout(1);
    expect((await claimAll()).map((callout) => callout.sequenceNumber)).toEqual([1]);
  });

  it('leases a callout to another worker when its lease has ended', async () => {
    const id = await makeCallout(1);
    await claimAll();
    expect(await claimAll()).toEqual([]);
    await database.pool.query(
      "UPDATE open_callouts SET lease_until = now() - interval '1 second' WHERE callout_id = $1",
      [id],
    );
    expect((await claimAll()).map((callout) => callout.id)).toEqual([id]);
  });
});

describe('settling', () => {
  it('ends a delivered callout, stores its attempt, and makes the next one of its record due', async () => {
    const [first, second, third] = [await makeCallout(1), await makeCallout(1), await makeCallout(1)];
    const [claimed] = await claimAll();
    if (!claimed) throw new Error('nothing was due');
    const result = await settle([settlementOf(claimed, delivered)]);
    expect(result).toEqual({ lateCalloutIds: [], dueWebhookKeys: [webhookKey], paused: 0 });
    expect(await stateOf(first)).toEqual({ state: 'delivered', openState: null });
    expect(await stateOf(second)).toEqual({ state: 'open', openState: 'due' });
    expect(await stateOf(third)).toEqual({ state: 'open', openState: 'waiting' });
    const { rows } = await database.pool.query(
      'SELECT number, status, response_body, next_attempt_at FROM attempts WHERE callout_id = $1',
      [first],
    );
    expect(rows).toEqual([{ number: 1, status: 200, response_body: Buffer.from([0, 255, 10]), next_attempt_at: null }]);
  });

  it('sets the time of the next attempt after a failure and keeps the record behind it waiting', async () => {
    const [first, second] = [await makeCallout(1), await makeCallout(1)];
    const [claimed] = await claimAll();
    if (!claimed) throw new Error('nothing was due');
    await settle([settlementOf(claimed, { kind: 'retry', waitMs: 3_600_000 })]);
    expect(await claimAll()).toEqual([]);
    expect(await stateOf(second)).toEqual({ state: 'open', openState: 'waiting' });
    await database.pool.query('UPDATE open_callouts SET due_at = now() WHERE callout_id = $1', [first]);
    expect(await claimAll()).toMatchObject([{ id: first, attemptsMade: 1 }]);
  });

  it('does not let a late worker overwrite changes made after its lease', async () => {
    const id = await makeCallout(1);
    const [late] = await claimAll();
    if (!late) throw new Error('nothing was due');
    await database.pool.query('UPDATE open_callouts SET lease_until = now() WHERE callout_id = $1', [id]);
    const [now] = await claimAll();
    if (!now) throw new Error('the lease had ended');
    const lateResult = await settle([settlementOf(late, failed)]);
    expect(lateResult.lateCalloutIds).toEqual([id]);
    await settle([settlementOf(now, delivered)]);
    for (const next of [failed, delivered]) {
      expect((await settle([settlementOf(late, next)])).lateCalloutIds).toEqual([id]);
    }
    expect(await stateOf(id)).toEqual({ state: 'delivered', openState: null });
    const { rows } = await database.pool.query('SELECT number FROM attempts WHERE callout_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  it('distinguishes two leases of one worker, also when both results come in one batch', async () => {
    const [first, second] = [await makeCallout(1), await makeCallout(1)];
    const [late] = await claimAll();
    await database.pool.query('UPDATE open_callouts SET lease_until = now() WHERE callout_id = $1', [first]);
    const [again] = await claimAll();
    if (!late || !again) throw new Error('it was due twice');
    const result = await settle([
      settlementOf(late, delivered),
      settlementOf(again, { kind: 'retry', waitMs: 60_000 }),
    ]);
    expect(result).toEqual({ lateCalloutIds: [first], dueWebhookKeys: [], paused: 0 });
    expect(await stateOf(first)).toEqual({ state: 'open', openState: 'due' });
    expect(await stateOf(second)).toEqual({ state: 'open', openState: 'waiting' });
  });

  it('never leaves a callout waiting that is made while the one before it ends', async () => {
    for (let round = 0; round < 40; round += 1) {
      await makeCallout(1);
      const claimed = await claimAll();
      const settling = settle(claimed.map((callout) => settlementOf(callout, delivered)));
      const [made] = await Promise.all([makeCallout(1), settling]);
      expect(await stateOf(made)).toEqual({ state: 'open', openState: 'due' });
      const [next] = await claimAll();
      if (!next) throw new Error('the callout behind was not due');
      await settle([settlementOf(next, delivered)]);
    }
  });

  it('finds the next callout of a record when another transaction ends the one behind at that moment', async () => {
    const [first, second, third] = [await makeCallout(1), await makeCallout(1), await makeCallout(1)];
    const claimed = await claimAll();
    const other = await database.pool.connect();
    await other.query('BEGIN');
    await other.query('DELETE FROM open_callouts WHERE callout_id = $1', [second]);
    const settling = settle(claimed.map((callout) => settlementOf(callout, delivered)));
    await untilOneWaits();
    await other.query('COMMIT');
    other.release();
    expect(await settling).toEqual({ lateCalloutIds: [], dueWebhookKeys: [webhookKey], paused: 0 });
    expect(await stateOf(first)).toEqual({ state: 'delivered', openState: null });
    expect(await stateOf(third)).toEqual({ state: 'open', openState: 'due' });
    const { rows } = await database.pool.query('SELECT number FROM attempts WHERE callout_id = $1', [first]);
    expect(rows).toEqual([{ number: 1 }]);
  });

  it('settles in any batch and order without deadlock, while callouts are added', async () => {
    const records = [1, 2, 3, 4, 5, 6];
    for (const recordId of records) await makeCallout(recordId);
    for (let round = 0; round < 12; round += 1) {
      const claimed = await claimAll();
      const half = claimed.length >> 1;
      const settlePart = (part: ClaimedCallout[]) => settle(part.map((callout) => settlementOf(callout, delivered)));
      await Promise.all([
        settlePart(claimed.slice(half).toReversed()),
        settlePart(claimed.slice(0, half)),
        ...records.toReversed().map((recordId) => makeCallout(recordId)),
      ]);
    }
    const open = await database.pool.query<{ recordId: number; due: number }>(
      `SELECT record_id AS "recordId", count(*) FILTER (WHERE state = 'due') AS due FROM open_callouts
       WHERE webhook_key = $1 GROUP BY record_id ORDER BY record_id`,
      [webhookKey],
    );
    expect(open.rows).toEqual(records.map((recordId) => ({ recordId, due: 1 })));
  });
});

describe('sweeping', () => {
  it('returns each webhook with a due callout that is not being sent, once, in order', async () => {
    const other = await insertWebhook(database.pool, tenantId, 2);
    const idle = await insertWebhook(database.pool, tenantId, 3);
    for (const key of [webhookKey, other]) {
      await database.pool.query(
        `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
         SELECT gen_random_uuid(), $1, $2, 'Account', n, 'Update', n, 'due', now() - interval '1 second' FROM generate_series(1, 50) n`,
        [tenantId, key],
      );
    }
    const due = await webhooksWithDueCallouts(database.pool, webhookKey - 1, 100);
    expect(due).toEqual([webhookKey, other]);
    expect(due).not.toContain(idle);
    await claimDueCallouts(database.pool, [{ webhookKey: other, slots: 50 }], claimRules);
    expect(await webhooksWithDueCallouts(database.pool, webhookKey - 1, 100)).toEqual([webhookKey]);
    expect(await webhooksWithDueCallouts(database.pool, webhookKey, 100)).toEqual([]);
  });
});
