import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { type Client, type Database } from '../connection/database.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { dayMs, ensureDays } from '../schema/partitions.ts';
import { dropOldPartitions, keptDays } from './retention.ts';
import { useDatabase } from '../fixtures/own-database.ts';

const database = useDatabase(createDisposableDatabase);
let pool: Database['pool'];
let webhookKey: number;
let tenantId: number;
/** The clock of all tests is a month ahead; all history is of `day`. */
const day = new Date(Math.floor(Date.now() / dayMs) * dayMs);
const digits = day.toISOString().slice(0, 10).replaceAll('-', '');
const inDays = (days: number) => new Date(day.getTime() + days * dayMs + 3_600_000);
/** Events are kept for a day longer: callouts of the next day are made from them. */
const retention = { callouts: 30, events: 29, errorLogs: 30 };
const ofDay = [
  ...['callout_bodies', 'attempts', 'callouts', 'event_matches', 'events'],
  'webhook_event_error_logs',
].map((table) => `${table}_${digits}`);

beforeAll(async () => {
  ({ pool } = database);
});

beforeEach(async () => {
  await pool.query('TRUNCATE open_callouts, pending_events, notifications');
  await pool.query(`UPDATE tenants SET state = 'active'`);
  await ensureDays(pool, [day]);
  tenantId = await insertTenant(pool);
  webhookKey = await insertWebhook(pool, tenantId, 1);
});

let sequence = 0;
let madeIds = 0;
/** An id of `day`, also when the clock of this machine has passed midnight since. */
function idOfDay(): string {
  madeIds += 1;
  return lowestIdAt(new Date(day.getTime() + dayMs / 2)).slice(0, -12) + madeIds.toString(16).padStart(12, '0');
}

/** A callout of today with its body, and one attempt. Returns its id. */
async function insertCallout(client: Client = pool): Promise<string> {
  const id = idOfDay();
  sequence += 1;
  const values = [id, tenantId, webhookKey];
  await client.query(
    `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, state)
     VALUES ($1, $2, $3, $4, 'Account', 1, 'Update', 'failed')`,
    [...values, sequence],
  );
  await client.query("INSERT INTO callout_bodies (callout_id, body) VALUES ($1, '{}')", [id]);
  await insertAttempt(id, client);
  return id;
}

async function insertAttempt(calloutId: string, client: Client = pool): Promise<void> {
  await client.query(
    `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers)
     VALUES ($1, $2, $3, $4, 1, now(), 1, '', '{}')`,
    [idOfDay(), calloutId, tenantId, webhookKey],
  );
}

async function open(calloutId: string, client: Client = pool): Promise<void> {
  await client.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state,
       due_at, attempts_made) VALUES ($1, $2, $3, 'Account', 1, 'Update', 1, 'due', now(), 1)`,
    [calloutId, tenantId, webhookKey],
  );
}

async function partitionsLeft(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT relname AS name FROM pg_class WHERE relname = ANY($1) ORDER BY array_position($1, relname::text)',
    [ofDay],
  );
  return rows.map(({ name }) => name);
}

describe('a day that is past its retention', () => {
  it('is dropped when its last row is old enough, and not a day before', async () => {
    const id = await insertCallout();
    const early = await dropOldPartitions(pool, retention, { now: inDays(30) });
    expect(early?.dropped.filter((name) => name.endsWith(digits))).toEqual([]);
    expect(await partitionsLeft()).toEqual(ofDay);
    const result = await dropOldPartitions(pool, retention, { now: inDays(31) });
    expect(result?.kept).toEqual([]);
    expect(result?.postponed).toEqual([]);
    expect(result?.dropped.filter((name) => name.endsWith(digits))).toEqual(ofDay);
    expect(await partitionsLeft()).toEqual([]);
    expect((await pool.query('SELECT FROM callouts WHERE id = $1', [id])).rowCount).toBe(0);
  });

  it('is dropped a day later where it has events, from which callouts of the next day are made', async () => {
    const same = { callouts: 30, events: 30, errorLogs: 30 };
    await dropOldPartitions(pool, same, { now: inDays(31) });
    expect(await partitionsLeft()).toEqual([`event_matches_${digits}`, `events_${digits}`]);
    await dropOldPartitions(pool, same, { now: inDays(32) });
    expect(await partitionsLeft()).toEqual([]);
  });

  it('is kept where it has events and a callout of the next day is open', async () => {
    await open(lowestIdAt(new Date(day.getTime() + dayMs + 5)));
    const result = await dropOldPartitions(pool, retention, { now: inDays(31) });
    expect(result?.kept).toEqual([{ partition: `events_${digits}`, because: ['1 × open callout'] }]);
  });

  it('depends on its own kind; 0 keeps it for ever', async () => {
    const result = await dropOldPartitions(pool, { callouts: 0, events: 10, errorLogs: 90 }, { now: inDays(31) });
    expect(result?.dropped.filter((name) => name.endsWith(digits))).toEqual([
      `event_matches_${digits}`,
      `events_${digits}`,
    ]);
    expect(await partitionsLeft()).toHaveLength(4);
  });

  it('is dropped by one process at a time', async () => {
    const drop = () => dropOldPartitions(pool, retention, { now: inDays(31) });
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM callouts');
    // Waits for the reader, with the lock acquired.
    const first = drop();
    while (!(await isDropping())) await sleep(5);
    expect(await drop()).toBeNull();
    await reader.query('COMMIT');
    reader.release();
    expect(await first).not.toBeNull();
    await drop();
    expect(await partitionsLeft()).toEqual([]);
  });
});

/** The only lock of this database that a process may hold outside its transactions. */
async function isDropping(): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.length > 0;
}

describe('a day that is past its retention is kept with a reason', () => {
  const first = `callouts_${digits}`;

  it('while a tenant is being moved here, whose open callouts come last', async () => {
    await insertCallout();
    await pool.query(`UPDATE tenants SET state = 'arriving' WHERE id = $1`, [tenantId]);
    const result = await dropOldPartitions(pool, retention, { now: inDays(31) });
    expect(result?.dropped).toEqual([]);
    expect(result?.kept).toContainEqual({ partition: first, because: ['1 × tenant that is being moved here'] });
    expect(await partitionsLeft()).toEqual(ofDay);
    // The move was cancelled.
    await pool.query('UPDATE tenants SET deleting_at = now() WHERE id = $1', [tenantId]);
    expect((await dropOldPartitions(pool, retention, { now: inDays(31) }))?.kept).toEqual([]);
  });

  it('while one of its callouts is open, also a reopened one', async () => {
    const id = await insertCallout();
    await open(id);
    // Its body is made from an event of the same day, or of the day before.
    const kept = [`callouts_${digits}`, `events_${digits}`].map((partition) => ({
      partition,
      because: ['1 × open callout'],
    }));
    expect((await dropOldPartitions(pool, retention, { now: inDays(31) }))?.kept).toEqual(kept);
    expect(await keptDays(pool, retention, inDays(31))).toEqual(kept);
    expect(await partitionsLeft()).toEqual(ofDay.slice(0, 5));
    await pool.query('DELETE FROM open_callouts');
    expect(await keptDays(pool, retention, inDays(31))).toEqual([]);
    expect((await dropOldPartitions(pool, retention, { now: inDays(31) }))?.kept).toEqual([]);
    expect(await partitionsLeft()).toEqual([]);
  });

  it('while one of its attempts belongs to an open callout of an earlier day', async () => {
    const early = lowestIdAt(new Date(day.getTime() - 5));
    await open(early);
    await insertAttempt(early);
    expect(await keptDays(pool, retention, inDays(31))).toEqual(
      expect.arrayContaining([{ partition: first, because: ['1 × open callout with an attempt'] }]),
    );
  });

  it('while a mail that is not sent yet names one of its callouts', async () => {
    await insertCallout();
    await pool.query(
      `INSERT INTO notifications (id, tenant_id, webhook_key, kind, occasion, recipient, content)
       VALUES ($1, $2, $3, 'error', '1', 'a@b.example', $4)`,
      [idOfDay(), tenantId, webhookKey, { facts: { sequenceNumber: sequence } }],
    );
    const kept = [{ partition: first, because: ['1 × mail that is not out'] }];
    expect((await dropOldPartitions(pool, retention, { now: inDays(31) }))?.kept).toEqual(kept);
    await pool.query("UPDATE notifications SET state = 'sent'");
    expect((await dropOldPartitions(pool, retention, { now: inDays(31) }))?.kept).toEqual([]);
  });

  it('while one of its events is pending', async () => {
    await pool.query(
      `INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
       VALUES ($1, $2, 'Account', 1, 1, now())`,
      [idOfDay(), tenantId],
    );
    const result = await dropOldPartitions(pool, retention, { now: inDays(31) });
    expect(result?.kept).toEqual([{ partition: `events_${digits}`, because: ['1 × pending event'] }]);
    expect(await partitionsLeft()).toEqual([`event_matches_${digits}`, `events_${digits}`]);
  });
});

describe('a writer while a day is dropped', () => {
  it('never waits, however long a reader takes; the day is dropped once the reader is done', async () => {
    await insertCallout();
    await ensureDays(pool, [new Date(day.getTime() + 31 * dayMs)]);
    // The earlier days are dropped first, so that only this one is left.
    await dropOldPartitions(pool, retention, { now: inDays(30) });
    const reader = await pool.connect();
    // A reader of another program, such as a backup: the bounds of our connections do not end it.
    await reader.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    for (const table of ['events', 'callouts', 'attempts', 'webhook_event_error_logs']) {
      await reader.query(`SELECT count(*) FROM ${table}`);
    }
    const writer = await pool.connect();
    // A writer that had to wait for any lock would fail.
    await writer.query("SET lock_timeout = '20ms'");
    const dropping = { isOver: false };
    const dropped = dropOldPartitions(pool, retention, { now: inDays(31) }).finally(() => (dropping.isOver = true));
    let written = 0;
    const late = lowestIdAt(inDays(31));
    while (!dropping.isOver) {
      written += 1;
      const id = late.slice(0, -6) + written.toString(16).padStart(6, '0');
      await writer.query("INSERT INTO callout_bodies (callout_id, body) VALUES ($1, '{}')", [id]);
      await writer.query(
        `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action)
         VALUES ($1, $2, $3, $4, 'Account', 1, 'Update')`,
        [id, tenantId, webhookKey, written + 1_000_000],
      );
      await writer.query("UPDATE callouts SET state = 'delivered' WHERE id = $1", [id]);
      // Dropping takes seconds.
      await sleep(20);
    }
    await writer.query('RESET lock_timeout');
    writer.release();
    expect(written).toBeGreaterThan(10);
    expect((await dropped)?.postponed).toContain(`callouts_${digits}`);
    await reader.query('COMMIT');
    reader.release();
    const rest = await dropOldPartitions(pool, retention, { now: inDays(31) });
    expect(rest?.dropped).toContain(`callouts_${digits}`);
    expect(rest?.postponed).toEqual([]);
    expect(await partitionsLeft()).toEqual([]);
  });

  it('does not prevent new partitions, which are like the others', async () => {
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM callouts, events, attempts');
    const made = await ensureDays(
      pool,
      [90, 91].map((days) => new Date(day.getTime() + days * dayMs)),
    );
    await reader.query('COMMIT');
    reader.release();
    expect(made).toHaveLength(2 * ofDay.length);
    const { rows } = await pool.query<{ hasAllIndexes: boolean; hasAllChecks: boolean; options: string[] }>(
      `SELECT c.reloptions AS options, (SELECT count(*) FROM pg_index WHERE indrelid = c.oid)
           = (SELECT count(*) FROM pg_index WHERE indrelid = 'callouts'::regclass) AS "hasAllIndexes",
         (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c')
           = (SELECT count(*) FROM pg_constraint WHERE conrelid = 'callouts'::regclass AND contype = 'c') AS "hasAllChecks"
       FROM pg_class c WHERE relname = $1`,
      [made.find((name) => name.startsWith('callouts_'))],
    );
    expect(rows).toEqual([{ hasAllIndexes: true, hasAllChecks: true, options: ['fillfactor=70'] }]);
  });

  it('that reopens one of its callouts at the last moment keeps the day', async () => {
    // The earlier days are dropped first, so that only this one is left.
    await dropOldPartitions(pool, retention, { now: inDays(30) });
    const id = await insertCallout();
    const opener = await pool.connect();
    await opener.query('BEGIN');
    await opener.query("UPDATE callouts SET state = 'open' WHERE id = $1", [id]);
    const dropped = dropOldPartitions(pool, { ...retention, events: 0, errorLogs: 0 }, { now: inDays(31) });
    // Detaching waits for the transaction that reopens by now, and no new transaction sees the callout.
    await untilNoneVisible(id);
    await open(id, opener);
    await opener.query('COMMIT');
    opener.release();
    expect(await dropped).toMatchObject({ kept: [{ partition: `callouts_${digits}`, because: ['1 × open callout'] }] });
    expect((await pool.query('SELECT FROM callouts WHERE id = $1', [id])).rowCount).toBe(1);
    expect((await pool.query('SELECT FROM callout_bodies WHERE callout_id = $1', [id])).rowCount).toBe(1);
  });
});

async function untilNoneVisible(id: string): Promise<void> {
  while ((await pool.query('SELECT FROM callouts WHERE id = $1', [id])).rowCount !== 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
