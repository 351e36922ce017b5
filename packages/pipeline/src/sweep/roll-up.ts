import type { Pool, PoolClient } from 'pg';
import { answerTimeBoundsMs } from './answer-times.rules.ts';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { statementFrom, type Statement } from '@callout/database/connection/statement/statement';
import { lowestIdAt } from '@callout/database/schema/ids';
import { bucketCounts, bucketSums, classCounts, classSums, failureClass } from './buckets.ts';

export interface RollUpRules {
  readonly now: Date;
  /** How long after the beginning an attempt may still be stored: until then the minute is counted again. */
  readonly latenessMs: number;
  /** How long minutes and hours are kept; 0: for ever. */
  readonly keepMinutesMs: number;
  readonly keepHoursMs: number;
  /** Checked between two minutes. */
  readonly isStopping: () => boolean;
}

/** The number of minutes and hours that the round counted. */
export interface RolledUp {
  readonly minutes: number;
  readonly hours: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Attempts further back when counting begins are left out. */
const firstLookMs = 24 * hourMs;
/** After this many minutes the progress is stored, so that an interrupted round need not start again. */
const minutesPerStep = 10;
const rowsPerBatch = 5_000;

/** Settings for statements that search for a range of ids, and for old rows. */
const planning = { plan_cache_mode: 'force_custom_plan', enable_bitmapscan: 'on', enable_seqscan: 'on' };

/**
 * Counts the attempts of finished minutes, and adds minutes up to hours. Nothing is counted while a callout is delivered:
 * the ids of attempts rise with time, so a minute is a range of ids, read once the minute is over. As long as attempts may
 * come late, the minute is read again with each minute that ends; a count is replaced and never added to, so that
 * counting twice, or being interrupted, changes nothing.
 * @returns null when another process is counting.
 */
export async function rollUpDeliveries(pool: Pool, rules: RollUpRules): Promise<RolledUp | null> {
  // Most calls find that no minute has ended since the last call. Such a call must not cost a connection: the connection
  // that had the lock is closed, with all prepared statements.
  const [progress] = await findProgress(pool, []);
  if (progress && floor(rules.now, minuteMs) <= progress.seenUntil) return { minutes: 0, hours: 0 };
  return oneAtATime(pool, { lock: advisoryLocks.rollUpDeliveries, settings: planning }, (client) =>
    rollUp(client, rules),
  );
}

/** The progress of counting. */
interface Progress {
  /** Earlier minutes get no more attempts. */
  readonly minutesUntil: Date;
  /** All earlier hours are counted. */
  readonly hoursUntil: Date;
  /** Earlier minutes were counted at least once. */
  readonly seenUntil: Date;
}

const findProgress = statementFrom<Progress>('sweep/roll_up_read_progress');
const storeProgress = statementFrom('sweep/roll_up_store_progress');
const findFirst = statementFrom<{ startedAt: Date }>('sweep/roll_up_find_first');
const countHeld = statementFrom('sweep/roll_up_count_held');
const dropMinutes = statementFrom('sweep/roll_up_drop_minutes');
const dropHours = statementFrom('sweep/roll_up_drop_hours');

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
  // The number of held callouts is known for the moment only, and stored for the minute that has just ended.
  await countHeld(client, [new Date(until.getTime() - minuteMs)]);
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
    await dropOld(client, dropMinutes, oldestKept, isStopping);
  }
  if (keepHoursMs > 0) {
    await dropOld(client, dropHours, new Date(now.getTime() - keepHoursMs), isStopping);
  }
  return { minutes, hours };
}

/** Counts attempts with ids from $1 up to, but not with, $2: the minute $3. */
const countMinute = `
INSERT INTO delivery_minutes AS d (webhook_key, minute, tenant_id, entity_type, delivered, failed, attempts,
  failed_attempts, failures, answer_ms, answer_times, last_attempt_at, last_delivery_at)
SELECT w.key, $3, w.tenant_id, w.entity_type, c.delivered, c.failed, c.attempts, c.attempts - c.delivered, c.failures,
  c.answer_ms, c.answer_times, c.last_attempt_at, c.last_delivery_at
FROM (
  SELECT webhook_key, sum(n)::int AS attempts, coalesce(sum(n) FILTER (WHERE class = -1), 0)::int AS delivered,
    sum(failed)::int AS failed, ${classCounts} AS failures,
    coalesce(sum(ms) FILTER (WHERE bucket IS NOT NULL), 0) AS answer_ms, ${bucketCounts} AS answer_times,
    max(last_at) AS last_attempt_at, max(last_at) FILTER (WHERE class = -1) AS last_delivery_at
  -- By bucket and class first: to ask of each attempt for every bucket took half as long again.
  FROM (SELECT webhook_key, bucket, class, count(*) AS n, count(*) FILTER (WHERE has_failed) AS failed,
    sum(duration_ms) AS ms, max(started_at) AS last_at
  FROM (
    SELECT webhook_key, duration_ms, started_at, ${failureClass} AS class,
      CASE WHEN next_attempt_at IS NULL AND coalesce(status NOT BETWEEN 200 AND 299, true)
        -- The last result of one that was cancelled meanwhile is no failure, and tests and deactivation calls count as
        -- attempts alone. No EXISTS: that might read all that are cancelled.
        THEN coalesce((SELECT state <> 'cancelled' AND kind = 'event' FROM callouts WHERE id = a.callout_id), true)
        ELSE false END AS has_failed,
      CASE WHEN status IS NOT NULL THEN width_bucket(duration_ms, ARRAY[${answerTimeBoundsMs.join(', ')}]) END AS bucket
    FROM attempts a WHERE id >= $1 AND id < $2
  ) AS one GROUP BY webhook_key, bucket, class) AS each GROUP BY webhook_key
) AS c JOIN webhooks w ON w.key = c.webhook_key
ON CONFLICT (webhook_key, minute) DO UPDATE SET delivered = EXCLUDED.delivered, failed = EXCLUDED.failed,
  attempts = EXCLUDED.attempts, failed_attempts = EXCLUDED.failed_attempts, failures = EXCLUDED.failures,
  answer_ms = EXCLUDED.answer_ms, answer_times = EXCLUDED.answer_times, last_attempt_at = EXCLUDED.last_attempt_at,
  last_delivery_at = EXCLUDED.last_delivery_at
WHERE (d.delivered, d.failed, d.attempts, d.answer_ms)
  IS DISTINCT FROM (EXCLUDED.delivered, EXCLUDED.failed, EXCLUDED.attempts, EXCLUDED.answer_ms)`;

/** Counts the minutes from $1 up to, but not with, $2. */
const countHour = `
INSERT INTO delivery_hours AS d (webhook_key, hour, tenant_id, entity_type, delivered, failed, attempts, failed_attempts,
  failures, held, answer_ms, answer_times, last_attempt_at, last_delivery_at)
SELECT webhook_key, $1, tenant_id, entity_type, sum(delivered)::int, sum(failed)::int, sum(attempts)::int,
  sum(failed_attempts)::int, ${classSums}, max(held), sum(answer_ms), ${bucketSums}, max(last_attempt_at),
  max(last_delivery_at)
FROM delivery_minutes WHERE minute >= $1 AND minute < $2
GROUP BY webhook_key, tenant_id, entity_type
ON CONFLICT (webhook_key, hour) DO UPDATE SET delivered = EXCLUDED.delivered, failed = EXCLUDED.failed,
  attempts = EXCLUDED.attempts, failed_attempts = EXCLUDED.failed_attempts, held = EXCLUDED.held,
  answer_ms = EXCLUDED.answer_ms, answer_times = EXCLUDED.answer_times`;

async function readProgress(client: PoolClient, now: Date): Promise<Progress> {
  const [progress] = await findProgress(client, []);
  if (progress) return progress;
  const begin = floor(await firstAttempt(client, now), hourMs);
  return { minutesUntil: begin, hoursUntil: begin, seenUntil: begin };
}

/** The time of the first attempt to be counted; now, without attempts: a new installation has no past. */
async function firstAttempt(client: PoolClient, now: Date): Promise<Date> {
  const [first] = await findFirst(client, [lowestIdAt(new Date(now.getTime() - firstLookMs))]);
  return earlier(first?.startedAt ?? now, now);
}

async function keepProgress(client: PoolClient, { minutesUntil, hoursUntil, seenUntil }: Progress): Promise<void> {
  await storeProgress(client, [minutesUntil, hoursUntil, seenUntil]);
}

async function dropOld(
  client: PoolClient,
  dropSome: Statement<object>,
  before: Date,
  isStopping: () => boolean,
): Promise<void> {
  for (let removed = rowsPerBatch; removed === rowsPerBatch && !isStopping();) {
    removed = (await dropSome(client, [before, rowsPerBatch])).length;
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
