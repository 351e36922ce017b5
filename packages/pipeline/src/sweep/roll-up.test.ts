import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { Pool } from 'pg';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { lowestIdAt, newId } from '@callout/database/schema/ids';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { rollUpDeliveries, type RollUpRules } from './roll-up.ts';

const database = useDatabase(createDisposableDatabase);
const minuteMs = 60_000;
/** The beginning of an hour of today, so that there is a partition for it; each test uses the next hours. */
const begin = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
const at = (minutes: number) => new Date(begin.getTime() + minutes * minuteMs);
let pool: Pool;
let tenantId: number;
let webhookKey: number;

beforeAll(async () => {
  ({ pool } = database);
  await ensurePartitions(pool, begin);
});
beforeEach(async () => {
  await pool.query('TRUNCATE attempts, callouts, open_callouts, delivery_minutes, delivery_hours, statistics_progress');
  tenantId = await insertTenant(pool);
  webhookKey = await insertWebhook(pool, tenantId, 1);
});

const rules = (minutes: number, change: Partial<RollUpRules> = {}): RollUpRules => ({
  now: at(minutes),
  latenessMs: 90_000,
  keepMinutesMs: 0,
  keepHoursMs: 0,
  isStopping: () => false,
  ...change,
});
const rollUp = (minutes: number, change: Partial<RollUpRules> = {}) => rollUpDeliveries(pool, rules(minutes, change));

interface Given {
  status?: number | null;
  durationMs?: number;
  reason?: string | null;
  isLast?: boolean;
  state?: string;
  kind?: string;
}

/** Stores an attempt that began at a minute. */
async function attempt(
  minute: number,
  { status = 200, durationMs = 12, reason = null, isLast = true, state, kind = 'event' }: Given = {},
) {
  const calloutId = newId();
  if (state !== undefined) {
    await pool.query(
      `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, state, kind)
       VALUES ($1, $2, $3, 1, 'Account', 1, 'Update', $4, $5)`,
      [calloutId, tenantId, webhookKey, state, kind],
    );
  }
  // An id of that moment, different from all others.
  const id = lowestIdAt(at(minute)).slice(0, 19) + newId().slice(19);
  await pool.query(
    `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
       status, failure_reason, next_attempt_at) VALUES ($1, $2, $3, $4, 1, $5, $6, 'http://x', '{}', $7, $8, $9)`,
    [id, calloutId, tenantId, webhookKey, at(minute), durationMs, status, reason, isLast ? null : at(minute + 1)],
  );
}

async function minutes() {
  const { rows } = await pool.query<{ minute: Date; held: number | null; attempts: number }>(
    `SELECT minute, delivered, failed, attempts, failed_attempts AS "failedAttempts", held, answer_ms AS "answerMs"
     FROM delivery_minutes ORDER BY minute`,
  );
  return rows.map(({ minute, ...counts }) => ({ minute: (minute.getTime() - begin.getTime()) / minuteMs, ...counts }));
}
const one = { delivered: 1, failed: 0, attempts: 1, failedAttempts: 0, held: null, answerMs: 12 };

describe('rollUpDeliveries', () => {
  it('counts delivered, retried and failed attempts of each finished minute', async () => {
    await attempt(1);
    await attempt(1, { status: 500, isLast: false, durationMs: 30 });
    await attempt(1, { status: null, isLast: false, durationMs: 9_000 });
    await attempt(2, { status: 503, state: 'failed' });
    await attempt(2, { status: 503, state: 'cancelled' });
    await attempt(3);
    await rollUp(3.5);
    expect(await minutes()).toEqual([
      { minute: 1, delivered: 1, failed: 0, attempts: 3, failedAttempts: 2, held: null, answerMs: 42 },
      { minute: 2, delivered: 0, failed: 1, attempts: 2, failedAttempts: 2, held: null, answerMs: 24 },
    ]);
    const { rows } = await pool.query<{ times: number[] }>(
      'SELECT answer_times AS times FROM delivery_minutes ORDER BY minute LIMIT 1',
    );
    // 12 ms, 30 ms, and no response.
    expect(rows[0]?.times.flatMap((count, bucket) => (count > 0 ? [[bucket, count]] : []))).toEqual([
      [2, 1],
      [5, 1],
    ]);
  });

  it('counts no test and no deactivation call as failed', async () => {
    for (const kind of ['event', 'test', 'deactivation']) {
      await attempt(1, { status: 500, state: 'failed', kind });
    }
    await rollUp(3);
    expect(await minutes()).toMatchObject([{ attempts: 3, failedAttempts: 3, failed: 1 }]);
  });

  it('counts failed attempts by their responses, and stores the times of the last attempt and delivery', async () => {
    await attempt(1);
    for (const status of [302, 404, 429, 500, 600]) await attempt(2, { status, isLast: false });
    for (const reason of ['timeout', 'connectFailed', 'dnsFailed', 'tlsFailed', 'nacked']) {
      await attempt(2, { status: null, reason, isLast: false });
    }
    await rollUp(63);
    const { rows } = await pool.query<Record<string, unknown>>(
      `SELECT failed_attempts AS all, failures, last_attempt_at AS attempt, last_delivery_at AS delivery
       FROM delivery_minutes ORDER BY minute`,
    );
    // Redirects, 4xx, 5xx, timeouts, connections; 600 and the refusal of a program are in no class.
    expect(rows).toEqual([
      { all: 0, failures: [0, 0, 0, 0, 0], attempt: at(1), delivery: at(1) },
      { all: 10, failures: [1, 2, 1, 1, 3], attempt: at(2), delivery: null },
    ]);
    const { rows: hours } = await pool.query<Record<string, unknown>>(
      'SELECT failures, last_attempt_at AS attempt, last_delivery_at AS delivery FROM delivery_hours',
    );
    expect(hours).toEqual([{ failures: [1, 2, 1, 1, 3], attempt: at(2), delivery: at(1) }]);
  });

  it('has the same result when it runs twice, concurrently, or after it was interrupted', async () => {
    for (const minute of [0, 1, 2]) await attempt(minute);
    let asked = 0;
    await rollUp(3, { isStopping: () => (asked += 1) > 2 });
    const both = await Promise.all([rollUp(3), rollUp(3)]);
    expect(both.filter((result) => result === null).length).toBeLessThan(2);
    const counted = await minutes();
    expect(counted).toEqual([0, 1, 2].map((minute) => ({ minute, ...one })));
    await pool.query('DELETE FROM statistics_progress');
    await rollUp(3);
    expect(await minutes()).toEqual(counted);
  });

  it('counts attempts that were stored late, and rewrites no unchanged row', async () => {
    await attempt(1);
    await attempt(2);
    await rollUp(3);
    const places = async () =>
      (await pool.query('SELECT ctid::text FROM delivery_minutes ORDER BY minute')).rows.map((row) => String(row.ctid));
    const before = await places();
    await attempt(2, { status: 500, isLast: false, durationMs: 30 });
    await rollUp(4);
    expect(await minutes()).toEqual([
      { minute: 1, ...one },
      { minute: 2, ...one, attempts: 2, failedAttempts: 1, answerMs: 42 },
    ]);
    expect((await places())[0]).toBe(before[0]);
  });

  it('leaves alone the minutes that can get no more attempts', async () => {
    await attempt(1);
    await rollUp(10);
    await pool.query('TRUNCATE attempts');
    expect(await rollUp(11)).toEqual({ minutes: 3, hours: 0 });
    expect(await minutes()).toEqual([{ minute: 1, ...one }]);
    expect(await rollUp(11.9)).toEqual({ minutes: 0, hours: 0 });
  });

  it('acquires its lock, which costs a connection, only when a minute has ended', async () => {
    await attempt(1);
    await rollUp(3);
    const holder = await pool.connect();
    await holder.query(`SELECT pg_advisory_lock(${advisoryLocks.rollUpDeliveries})`);
    const [within, ended] = [await rollUp(3.9), await rollUp(4)];
    await holder.query(`SELECT pg_advisory_unlock(${advisoryLocks.rollUpDeliveries})`);
    holder.release();
    expect(within).toEqual({ minutes: 0, hours: 0 });
    expect(ended).toBeNull();
  });

  it('counts held callouts once, for the minute that has just ended', async () => {
    const hold = () =>
      pool.query(
        `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number,
           state, due_at) VALUES ($1, $2, $3, 'Account', 1, 'Update', 1, 'held', now())`,
        [newId(), tenantId, webhookKey],
      );
    await hold();
    await attempt(2);
    await rollUp(3);
    await hold();
    await rollUp(4);
    const held = (await minutes()).map(({ minute, ...counts }) => [minute, counts.held, counts.attempts]);
    expect(held).toEqual([
      [2, 1, 1],
      [3, 2, 0],
    ]);
  });

  it('counts hours from their minutes, once none of them can change, and keeps both for the set time', async () => {
    const hours = async () => {
      const { rows } = await pool.query<{ hour: Date; attempts: number }>(
        'SELECT hour, sum(attempts)::int AS attempts FROM delivery_hours GROUP BY hour ORDER BY hour',
      );
      return rows;
    };
    // It may be yesterday.
    await ensurePartitions(pool, at(-120));
    for (const minute of [-120, -90, -61, -60]) await attempt(minute);
    await rollUp(0.2);
    await rollUp(2);
    expect(await hours()).toEqual([
      { hour: at(-120), attempts: 3 },
      { hour: at(-60), attempts: 1 },
    ]);
    await rollUp(3, { keepMinutesMs: 30 * minuteMs, keepHoursMs: 90 * minuteMs });
    expect(await minutes()).toEqual([]);
    expect(await hours()).toEqual([{ hour: at(-60), attempts: 1 }]);
  });

  it('begins with the first attempt that there is, and reads no minutes before it', async () => {
    expect(await rollUp(5)).toMatchObject({ minutes: 5 });
    await pool.query('TRUNCATE statistics_progress');
    await attempt(61);
    expect(await rollUp(65)).toMatchObject({ minutes: 5 });
  });
});
