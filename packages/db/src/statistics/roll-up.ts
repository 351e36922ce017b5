import type { Pool, PoolClient } from 'pg';
import { answerTimeBoundsMs } from '@callout/core/statistics';
import { advisoryLocks } from '../connection/locks/advisory-locks.ts';
import { oneAtATime } from '../connection/locks/one-at-a-time.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { bucketCounts, bucketSums } from './buckets.ts';

export interface RollUpRules {
  readonly now: Date;
  /** How long after its beginning an attempt may still be stored: until then its minute is counted again. */
  readonly latenessMs: number;
  /** How long minutes and hours are kept; 0: for ever. */
  readonly keepMinutesMs: number;
  readonly keepHoursMs: number;
  /** Asked between two minutes. */
  readonly isStopping: () => boolean;
}

/** How many were counted this time. */
export interface RolledUp {
  readonly minutes: number;
  readonly hours: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** What lies further back when counting begins is left out. */
const firstLookMs = 24 * hourMs;
/** After so many minutes it is kept how far counting has come, so that what is cut short need not begin again. */
const minutesPerStep = 10;
const rowsPerBatch = 5_000;

/** These statements look for a range of ids, and for old rows. */
const planning = { plan_cache_mode: 'force_custom_plan', enable_bitmapscan: 'on', enable_seqscan: 'on' };

/**
 * Counts the attempts of finished minutes, and from these the hours. Nothing is counted while a callout is delivered: the
 * ids of attempts rise with their time, so a minute is a range of them, read once it is over. Until it is sure that none
 * can come late it is read again with each minute that ends; a count is replaced and never added to, so that counting twice,
 * or being cut short, changes nothing.
 * @returns null when another process is doing this.
 */
export async function rollUpDeliveries(pool: Pool, rules: RollUpRules): Promise<RolledUp | null> {
  // Most calls find that no minute has ended since the last one. To learn that must not cost a connection: the one that
  // held the lock is closed, with all the statements that it has prepared.
  const seenUntil = await readSeenUntil(pool);
  if (seenUntil !== undefined && floor(rules.now, minuteMs) <= seenUntil) return { minutes: 0, hours: 0 };
  return oneAtATime(pool, { lock: advisoryLocks.rollUpDeliveries, settings: planning }, (client) =>
    rollUp(client, rules),
  );
}

/** How far counting has come. */
interface Progress {
  /** No attempt of an earlier minute can come any more. */
  readonly minutesUntil: Date;
  /** All earlier hours are counted. */
  readonly hoursUntil: Date;
  /** Earlier minutes were counted at least once. */
  readonly seenUntil: Date;
}

async function rollUp(client: PoolClient, rules: RollUpRules): Promise<RolledUp> {
  const { now, latenessMs, keepMinutesMs, keepHoursMs, isStopping } = rules;
  const before = await readProgress(client, now);
  const until = floor(now, minuteMs);
  if (until <= before.seenUntil) return { minutes: 0, hours: 0 };
  const final = floor(new Date(now.getTime() - latenessMs), minuteMs);
  const oldest = keepMinutesMs === 0 ? before.minutesUntil : floor(new Date(now.getTime() - keepMinutesMs), minuteMs);
  let at = later(before.minutesUntil, oldest);
  let minutes = 0;
  while (at < until) {
    if (isStopping()) return { minutes, hours: 0 };
    const end = new Date(at.getTime() + minuteMs);
    await client.query(countMinute, [lowestIdAt(at), lowestIdAt(end), at]);
    minutes += 1;
    at = end;
    if (minutes % minutesPerStep === 0 && at <= final) await keepProgress(client, { ...before, minutesUntil: at });
  }
  // How many are held is known for this moment only; it is stored for the minute that has just ended.
  await client.query(countHeld, [new Date(until.getTime() - minuteMs)]);
  const minutesUntil = later(before.minutesUntil, earlier(final, until));
  let hoursUntil = before.hoursUntil;
  let hours = 0;
  for (; hoursUntil.getTime() + hourMs <= minutesUntil.getTime(); hours += 1) {
    if (isStopping()) break;
    await client.query(countHour, [hoursUntil, new Date(hoursUntil.getTime() + hourMs)]);
    hoursUntil = new Date(hoursUntil.getTime() + hourMs);
  }
  await keepProgress(client, { minutesUntil, hoursUntil, seenUntil: until });
  if (keepMinutesMs > 0) {
    const oldestKept = earlier(hoursUntil, new Date(now.getTime() - keepMinutesMs));
    await dropOld(client, 'delivery_minutes', 'minute', oldestKept, isStopping);
  }
  if (keepHoursMs > 0) {
    await dropOld(client, 'delivery_hours', 'hour', new Date(now.getTime() - keepHoursMs), isStopping);
  }
  return { minutes, hours };
}

/** Of attempts with ids from $1 up to, but not with, $2: the minute $3. */
const countMinute = `
INSERT INTO delivery_minutes AS d (webhook_key, minute, tenant_id, entity_type, delivered, failed, attempts,
  failed_attempts, answer_ms, answer_times)
SELECT w.key, $3, w.tenant_id, w.entity_type, c.delivered, c.failed, c.attempts, c.attempts - c.delivered, c.answer_ms,
  c.answer_times
FROM (
  SELECT webhook_key, sum(n)::int AS attempts, sum(delivered)::int AS delivered, sum(given_up)::int AS failed,
    coalesce(sum(ms) FILTER (WHERE bucket IS NOT NULL), 0) AS answer_ms, ${bucketCounts} AS answer_times
  -- By bucket first: to ask of each attempt for every bucket took half as long again.
  FROM (SELECT webhook_key, bucket, count(*) AS n, count(*) FILTER (WHERE is_delivered) AS delivered,
    count(*) FILTER (WHERE is_given_up) AS given_up, sum(duration_ms) AS ms
  FROM (
    SELECT webhook_key, duration_ms, coalesce(status BETWEEN 200 AND 299, false) AS is_delivered,
      CASE WHEN next_attempt_at IS NULL AND coalesce(status NOT BETWEEN 200 AND 299, true)
        -- The last result of one that was cancelled meanwhile is no failure. No EXISTS: that might read all that are cancelled.
        THEN coalesce((SELECT state FROM callouts WHERE id = a.callout_id) <> 'cancelled', true) ELSE false END AS is_given_up,
      CASE WHEN status IS NOT NULL THEN width_bucket(duration_ms, ARRAY[${answerTimeBoundsMs.join(', ')}]) END AS bucket
    FROM attempts a WHERE id >= $1 AND id < $2
  ) AS one GROUP BY webhook_key, bucket) AS each GROUP BY webhook_key
) AS c JOIN webhooks w ON w.key = c.webhook_key
ON CONFLICT (webhook_key, minute) DO UPDATE SET delivered = EXCLUDED.delivered, failed = EXCLUDED.failed,
  attempts = EXCLUDED.attempts, failed_attempts = EXCLUDED.failed_attempts, answer_ms = EXCLUDED.answer_ms,
  answer_times = EXCLUDED.answer_times
WHERE (d.delivered, d.failed, d.attempts, d.answer_ms)
  IS DISTINCT FROM (EXCLUDED.delivered, EXCLUDED.failed, EXCLUDED.attempts, EXCLUDED.answer_ms)`;

/** Once for a minute: a later look would see another moment. */
const countHeld = `
INSERT INTO delivery_minutes AS d (webhook_key, minute, tenant_id, entity_type, held)
SELECT w.key, $1, w.tenant_id, w.entity_type, h.held
FROM (SELECT webhook_key, count(*)::int AS held FROM open_callouts WHERE state = 'held' GROUP BY webhook_key) AS h
JOIN webhooks w ON w.key = h.webhook_key
ON CONFLICT (webhook_key, minute) DO UPDATE SET held = EXCLUDED.held WHERE d.held IS NULL`;

/** Of the minutes from $1 up to, but not with, $2. */
const countHour = `
INSERT INTO delivery_hours AS d (webhook_key, hour, tenant_id, entity_type, delivered, failed, attempts, failed_attempts,
  held, answer_ms, answer_times)
SELECT webhook_key, $1, tenant_id, entity_type, sum(delivered)::int, sum(failed)::int, sum(attempts)::int,
  sum(failed_attempts)::int, max(held), sum(answer_ms), ${bucketSums}
FROM delivery_minutes WHERE minute >= $1 AND minute < $2
GROUP BY webhook_key, tenant_id, entity_type
ON CONFLICT (webhook_key, hour) DO UPDATE SET delivered = EXCLUDED.delivered, failed = EXCLUDED.failed,
  attempts = EXCLUDED.attempts, failed_attempts = EXCLUDED.failed_attempts, held = EXCLUDED.held,
  answer_ms = EXCLUDED.answer_ms, answer_times = EXCLUDED.answer_times`;

async function readSeenUntil(pool: Pool): Promise<Date | undefined> {
  const { rows } = await pool.query<Pick<Progress, 'seenUntil'>>(
    `SELECT seen_until AS "seenUntil" FROM statistics_progress WHERE name = 'deliveries'`,
  );
  return rows[0]?.seenUntil;
}

async function readProgress(client: PoolClient, now: Date): Promise<Progress> {
  const { rows } = await client.query<Progress>(
    `SELECT minutes_until AS "minutesUntil", hours_until AS "hoursUntil", seen_until AS "seenUntil"
     FROM statistics_progress WHERE name = 'deliveries'`,
  );
  const [progress] = rows;
  if (progress) return progress;
  const begin = floor(await firstAttempt(client, now), hourMs);
  return { minutesUntil: begin, hoursUntil: begin, seenUntil: begin };
}

/** When the first attempt began that counting begins with; now, when there is none: a new installation has no past. */
async function firstAttempt(client: PoolClient, now: Date): Promise<Date> {
  const { rows } = await client.query<{ startedAt: Date }>(
    'SELECT started_at AS "startedAt" FROM attempts WHERE id >= $1 ORDER BY id LIMIT 1',
    [lowestIdAt(new Date(now.getTime() - firstLookMs))],
  );
  return earlier(rows[0]?.startedAt ?? now, now);
}

async function keepProgress(client: PoolClient, { minutesUntil, hoursUntil, seenUntil }: Progress): Promise<void> {
  await client.query(
    `INSERT INTO statistics_progress AS p (name, minutes_until, hours_until, seen_until) VALUES ('deliveries', $1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET minutes_until = EXCLUDED.minutes_until, hours_until = EXCLUDED.hours_until,
       seen_until = EXCLUDED.seen_until`,
    [minutesUntil, hoursUntil, seenUntil],
  );
}

async function dropOld(
  client: PoolClient,
  table: 'delivery_minutes' | 'delivery_hours',
  column: 'minute' | 'hour',
  before: Date,
  isStopping: () => boolean,
): Promise<void> {
  const remove = `DELETE FROM ${table} WHERE (webhook_key, ${column}) IN (
    SELECT webhook_key, ${column} FROM ${table} WHERE ${column} < $1 LIMIT ${rowsPerBatch})`;
  for (let removed = rowsPerBatch; removed === rowsPerBatch && !isStopping();) {
    removed = (await client.query(remove, [before])).rowCount ?? 0;
  }
}

function floor(moment: Date, unitMs: number): Date {
  return new Date(Math.floor(moment.getTime() / unitMs) * unitMs);
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
