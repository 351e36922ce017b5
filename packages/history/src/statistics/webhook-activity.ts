import { lowestIdAt } from '@callout/database/schema/ids';
import { inSearch, type RunSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { countedRows, hoursUntil } from './counted-rows.ts';

/** How a webhook fared in the last 24 hours, as a row of a list shows it. */
export interface WebhookActivity {
  /** Of each hour, the present one last. */
  readonly attempts: readonly number[];
  readonly failedAttempts: readonly number[];
  /** In the last 30 days; null: there was none. */
  readonly lastAttemptAt: Date | null;
  readonly lastDeliveryAt: Date | null;
}

const hourMs = 3_600_000;
const hours = 24;
/** Further back a list does not look for the last delivery. */
const longestMs = 30 * 24 * hourMs;

/**
 * Reads the activity of webhooks of a tenant, by their keys; those without any are left out. Reads only counts, and the
 * newest callouts of each webhook: a page costs the same after years.
 */
export async function readWebhookActivity(
  search: SearchDeps,
  tenantId: number,
  webhookKeys: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, WebhookActivity>> {
  if (webhookKeys.length === 0) return new Map();
  return inSearch(search, tenantId, async (run) => {
    const thisHour = Math.floor(now.getTime() / hourMs) * hourMs;
    const from = new Date(thisHour - (hours - 1) * hourMs);
    const activities = new Map<number, Mutable>();
    for (const { webhookKey, attemptAt, deliveryAt } of await readLast(run, webhookKeys, now)) {
      activities.set(webhookKey, { ...none(), lastAttemptAt: attemptAt, lastDeliveryAt: deliveryAt });
    }
    for (const { webhookKey, time, attempts, failed } of await readHours(run, tenantId, webhookKeys, from)) {
      const one = activities.get(webhookKey) ?? none();
      activities.set(webhookKey, one);
      const nth = Math.round((time.getTime() - from.getTime()) / hourMs);
      one.attempts[nth] = attempts;
      one.failedAttempts[nth] = failed;
    }
    return activities;
  });
}

interface Mutable extends WebhookActivity {
  readonly attempts: number[];
  readonly failedAttempts: number[];
}

function none(): Mutable {
  const zeros = () => Array<number>(hours).fill(0);
  return { attempts: zeros(), failedAttempts: zeros(), lastAttemptAt: null, lastDeliveryAt: null };
}

interface HourRow {
  webhookKey: number;
  time: Date;
  attempts: number;
  failed: number;
}

async function readHours(run: RunSearch, tenantId: number, webhookKeys: readonly number[], from: Date) {
  const values = new SqlValues();
  const to = new Date(from.getTime() + hours * hourMs);
  const rows = countedRows({ tenantId, webhookKeys }, { from, to, interval: 'hour' }, values);
  return run<HourRow>(
    `SELECT webhook_key AS "webhookKey", time, sum(attempts)::int AS attempts, sum(failed_attempts)::int AS failed
     FROM (${rows}) AS s GROUP BY webhook_key, time HAVING sum(attempts) > 0`,
    values,
  );
}

interface LastRow {
  webhookKey: number;
  attemptAt: Date | null;
  deliveryAt: Date | null;
}

/** Deliveries after the last counted minute are read from the newest callouts. */
async function readLast(run: RunSearch, webhookKeys: readonly number[], now: Date): Promise<LastRow[]> {
  const values = new SqlValues();
  const [keys, since] = [values.add(webhookKeys), values.add(new Date(now.getTime() - longestMs))];
  const recent = values.add(lowestIdAt(new Date(now.getTime() - hourMs)));
  const last = (column: string) => `greatest(
    (SELECT ${column} FROM delivery_minutes WHERE webhook_key = k.key AND minute >= ${hoursUntil} AND minute >= ${since}
       AND ${column} IS NOT NULL ORDER BY minute DESC LIMIT 1),
    (SELECT ${column} FROM delivery_hours WHERE webhook_key = k.key AND hour < ${hoursUntil} AND hour >= ${since}
       AND ${column} IS NOT NULL ORDER BY hour DESC LIMIT 1),
    newest.at)`;
  return run<LastRow>(
    `SELECT * FROM (
       SELECT k.key AS "webhookKey", ${last('last_attempt_at')} AS "attemptAt", ${last('last_delivery_at')} AS "deliveryAt"
       FROM unnest(${keys}::bigint[]) AS k (key), LATERAL (
         SELECT max(finished_at) FILTER (WHERE state = 'delivered') AS at FROM (
           SELECT state, finished_at FROM callouts WHERE webhook_key = k.key AND id >= ${recent}::uuid
           ORDER BY id DESC LIMIT 20
         ) AS c
       ) AS newest
     ) AS l WHERE "attemptAt" IS NOT NULL`,
    values,
  );
}
