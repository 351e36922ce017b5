import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordOfWebhook } from '@callout/domain/callout/claimed';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import { eventually } from '@callout/testing';
import type { LeasedCallout } from '@callout/pipeline/deliver/claim';
import { beginReservation } from '@callout/pipeline/deliver/engine/reservation';
import { createLongBodies } from '@callout/pipeline/payload/long-bodies';
import { matchDeps } from '@callout/pipeline/match/match-deps.fixture';
import { createFastMatch } from '@callout/pipeline/match/match.fast';
import { matchEvents, type MatchDeps, type MatchResult } from '@callout/pipeline/match/match';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';

const database = useDatabase(createDisposableDatabase);
let commit: ReturnType<typeof createIngestCommit>;
let tenantId: number;
/** Sent callouts, and the slots that are neither used nor returned. */
let sent: LeasedCallout[];
let slotsInUse: number;
/** Records of callouts that wait for an earlier one. */
let followed: number[];

beforeAll(async () => {
  commit = createIngestCommit(database.pool);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  sent = [];
  followed = [];
  slotsInUse = 0;
});

/** Matches in a process with this many slots for each webhook. */
async function matching(
  slots: number,
  threshold = 0,
  change: Partial<MatchDeps> = {},
): Promise<(eventIds: readonly string[]) => Promise<MatchResult>> {
  const longBodies = createLongBodies(() => undefined, 200_000);
  const lanes = {
    reserve: (_webhookKey: number, _tenantId: number, wanted: number) => {
      const granted = Math.min(slots, wanted);
      slotsInUse += granted;
      return granted;
    },
    returnReserved: (_webhookKey: number, count: number) => {
      slotsInUse -= count;
    },
    startReserved: (callout: LeasedCallout) => {
      slotsInUse -= 1;
      sent.push(callout);
    },
    addSuccessors: (records: readonly RecordOfWebhook[]) => {
      followed.push(...records.map(({ recordId }) => recordId));
    },
  };
  const deps = await matchDeps(database, (error) => {
    throw error;
  });
  const { pool } = database;
  const fast = createFastMatch({
    pool,
    engine: { reserve: () => beginReservation(lanes, longBodies) },
    leaseMs: 60_000,
    threshold,
    nowMs: () => 1_000,
    onHeld: () => undefined,
  });
  return (eventIds) => matchEvents({ ...deps, ...change }, eventIds, fast);
}

async function accept(...recordIds: number[]): Promise<string[]> {
  const events = recordIds.map((recordId) => anEvent({ recordId }));
  return (await commit([{ tenantId, events }])).eventIds;
}

async function openCallouts(webhookKey: number) {
  const { rows } = await database.pool.query<{ id: string; state: string; owner: string | null; isLeased: boolean }>(
    `SELECT callout_id AS id, state, lease_owner AS owner, coalesce(lease_until > now(), false) AS "isLeased"
     FROM open_callouts WHERE webhook_key = $1 ORDER BY sequence_number`,
    [webhookKey],
  );
  return rows;
}

describe('the fast way of match', () => {
  it('stores new callouts with a lease and sends them, without a claim', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const result = await (await matching(10))(await accept(1, 2));
    expect(result).toMatchObject({ matched: 2, webhookKeys: [] });
    const open = await openCallouts(webhookKey);
    expect(open.map(({ state, isLeased }) => [state, isLeased])).toEqual([
      ['due', true],
      ['due', true],
    ]);
    expect(sent.map(({ id, leaseOwner }) => ({ id, leaseOwner }))).toEqual(
      open.map(({ id, owner }) => ({ id, leaseOwner: owner })),
    );
    expect(sent[0]).toMatchObject({ webhookKey, kind: 'event', attemptsMade: 0, leaseEndsAtMs: 61_000 });
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ Id: 1, SequenceNumber: 1 });
    expect(slotsInUse).toBe(0);
  });

  it('leaves callouts without a slot, or behind an earlier one of their record, to a claim', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const match = await matching(1);
    const result = await match(await accept(1, 1, 2));
    expect(result.webhookKeys).toEqual([webhookKey]);
    expect((await openCallouts(webhookKey)).map(({ state, isLeased }) => [state, isLeased])).toEqual([
      ['due', true],
      ['waiting', false],
      ['due', false],
    ]);
    expect(slotsInUse).toBe(0);
    expect(sent.map(({ recordId, sequenceNumber }) => [recordId, sequenceNumber])).toEqual([[1, 1]]);
    expect(followed).toEqual([1]);
    // The next event of a record whose callout is being sent waits behind it.
    await match(await accept(1));
    expect(followed).toEqual([1, 1]);
    expect((await openCallouts(webhookKey)).at(-1)).toMatchObject({ state: 'waiting', isLeased: false });
  });

  it('leaves callouts with long bodies to a claim when there is no room for them', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const events = [1, 2, 3].map((recordId) =>
      anEvent({ recordId, fields: values({ companyName: 'x'.repeat(150_000) }) }),
    );
    const { eventIds } = await commit([{ tenantId, events }]);
    expect((await (await matching(10))(eventIds)).webhookKeys).toEqual([webhookKey]);
    expect(sent.map(({ body }) => body.length > 150_000)).toEqual([true]);
    expect((await openCallouts(webhookKey)).map(({ isLeased }) => isLeased)).toEqual([true, false, false]);
    expect(slotsInUse).toBe(0);
  });

  it('does not wait for a threshold where there is none', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const eventIds = await accept(1);
    const other = await database.pool.connect();
    await other.query("INSERT INTO threshold_windows (tenant_id, entity_type) VALUES ($1, 'Account')", [tenantId]);
    await other.query('BEGIN');
    await other.query('SELECT FROM threshold_windows WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    await (
      await matching(10)
    )(eventIds);
    await other.query('ROLLBACK');
    other.release();
    expect(sent.map((callout) => callout.webhookKey)).toEqual([webhookKey]);
  });

  it('sends nothing to a paused receiver', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    await database.pool.query(
      `INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() + interval '1 minute')`,
      [webhookKey],
    );
    expect((await (await matching(10))(await accept(1))).webhookKeys).toEqual([webhookKey]);
    expect(sent).toEqual([]);
    expect(await openCallouts(webhookKey)).toMatchObject([{ state: 'due', isLeased: false }]);
  });

  it('counts first attempts, and holds callouts that the threshold does not grant', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const match = await matching(10, 3);
    // The first of a tenant and entity creates its window, the later ones find it.
    await match(await accept(1, 2));
    expect(sent.map(({ countedAt }) => countedAt instanceof Date)).toEqual([true, true]);
    await match(await accept(3, 4));
    expect(sent.map(({ recordId }) => recordId)).toEqual([1, 2, 3]);
    expect((await openCallouts(webhookKey)).map(({ state }) => state)).toEqual(['due', 'due', 'due', 'held']);
    // Nothing new overtakes held callouts.
    await match(await accept(5));
    expect(sent).toHaveLength(3);
    expect((await openCallouts(webhookKey)).map(({ state }) => state)).toEqual(['due', 'due', 'due', 'held', 'held']);
    const { rows } = await database.pool.query<{ used: number }>(
      'SELECT used FROM threshold_windows WHERE tenant_id = $1',
      [tenantId],
    );
    expect(rows).toEqual([{ used: 3 }]);
    expect(slotsInUse).toBe(0);
  });

  it('merges later changes into a callout that the threshold did not grant, if its webhook merges', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    await database.pool.query('UPDATE webhooks SET merge_while_waiting = true WHERE key = $1', [webhookKey]);
    const match = await matching(10, 1);
    await match(await accept(1, 2));
    expect(sent.map(({ recordId }) => recordId)).toEqual([1]);
    await match(await accept(2));
    // What was sent never changes.
    await match(await accept(1));
    const { rows } = await database.pool.query<{ record: number; state: string }>(
      `SELECT c.record_id AS record, coalesce(o.state, c.state) AS state FROM callouts c
         LEFT JOIN open_callouts o ON o.callout_id = c.id WHERE c.webhook_key = $1 ORDER BY c.sequence_number`,
      [webhookKey],
    );
    expect(rows.map(({ record, state }) => `${record} ${state}`)).toEqual(['1 due', '2 held', '2 merged', '1 waiting']);
  });

  it('counts no seconds older than the hour', async () => {
    await insertWebhook(database.pool, tenantId, 1);
    const match = await matching(10, 3);
    await match(await accept(1, 2));
    // As the count of a later second moves them.
    await database.pool.query(
      `WITH moved AS (UPDATE threshold_windows SET second = NULL, second_used = 0 WHERE tenant_id = $1)
       INSERT INTO threshold_use
       SELECT tenant_id, entity_type, second - interval '1 hour', second_used FROM threshold_windows WHERE tenant_id = $1`,
      [tenantId],
    );
    const used = async () => {
      const { rows } = await database.pool.query(
        `SELECT used, second_used + (SELECT coalesce(sum(used), 0)::int FROM threshold_use WHERE tenant_id = $1) AS sum
         FROM threshold_windows WHERE tenant_id = $1`,
        [tenantId],
      );
      return rows;
    };
    await match(await accept(3, 4));
    expect(await used()).toEqual([{ used: 2, sum: 2 }]);
    expect(sent.map(({ recordId, countedAt }) => [recordId, countedAt instanceof Date])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
    ]);
  });

  it('waits for the threshold before it locks an open callout that a settlement may need', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const match = await matching(10, 100);
    // The window exists from now on, and a callout of record 1 is open.
    await match(await accept(1));
    const [open] = await openCallouts(webhookKey);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM threshold_windows WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    const matched = match(await accept(1, 2));
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    const { rowCount: isFree } = await database.pool.query(
      'SELECT FROM open_callouts WHERE callout_id = $1 FOR UPDATE NOWAIT',
      [open?.id],
    );
    await holder.query('COMMIT');
    holder.release();
    expect(isFree).toBe(1);
    expect((await matched).matched).toBe(2);
    expect(sent.map(({ recordId }) => recordId)).toEqual([1, 2]);
    expect(slotsInUse).toBe(0);
  });

  it('gives its slots back and sends nothing when the match fails', async () => {
    await insertWebhook(database.pool, tenantId, 1);
    const [eventId] = await accept(1);
    // The table of verdicts has the verdicts of this event already: storing them again must fail.
    await database.pool.query(`INSERT INTO event_matches (event_id, tenant_id, verdicts) VALUES ($1, $2, '{}')`, [
      eventId,
      tenantId,
    ]);
    const match = await matching(10, 0, { onError: () => undefined });
    await expect(match([eventId ?? ''])).rejects.toThrow(/duplicate key/);
    expect(sent).toEqual([]);
    expect(slotsInUse).toBe(0);
  });
});
