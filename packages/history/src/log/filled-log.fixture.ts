import type { Pool } from 'pg';

/** An id of a moment, unique by its number, as SQL. */
const idAt = (moment: string, number: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${moment}) * 1000)::bigint), 12, '0') || '7000' || lpad(to_hex(${number}), 16, '8'))::uuid`;

/** Callouts of each webhook; the newest are open. */
export const CALLOUTS_PER_WEBHOOK = 24_000;
export const OPEN_PER_WEBHOOK = 500;

/**
 * Fills the history with 24,000 callouts of each webhook from yesterday to the day after today, one event and about one
 * attempt for each; one in a thousand has failed, one of a thousand is of a deletion and one of a creation, and the
 * newest 500 of each webhook are open.
 */
export async function fillLog(pool: Pool, tenantId: number, webhookKeys: readonly number[]): Promise<void> {
  // From midnight on, at any time: a partition of a few rows would be read from end to end, and rightly so. One
  // beginning for all tables, or the ids would not be the same in all of them.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const moment = `timestamptz '${yesterday} 00:00Z' + g * interval '10 seconds'`;
  const [event, attempt] = [idAt(moment, 'g'), idAt(`${moment} + interval '1 second'`, 'w.key * 1000000 + g')];
  const callout = idAt(moment, 'w.key * 1000000 + g');
  const per = CALLOUTS_PER_WEBHOOK;
  const ended = per - OPEN_PER_WEBHOOK;
  const state = `CASE WHEN g > ${ended} THEN 'open' WHEN g % 1000 = 0 THEN 'failed' WHEN g % 1001 = 0 THEN 'cancelled' ELSE 'delivered' END`;
  const action = `CASE g % 1000 WHEN 7 THEN 'Delete' WHEN 8 THEN 'Create' ELSE 'Update' END`;
  const rows = `unnest($2::bigint[]) AS w (key), generate_series(1, ${per}) AS g`;
  const values = [tenantId, webhookKeys];
  await pool.query(
    `INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
       changed_fields, changed_udfs, fields, udf_fields)
     SELECT ${event}, $1, 'Account', 1 + (g - 1) % 5000, g, 'Update', 1, 'e-' || g, now(), '{companyName}', '{}', '{}', '{}'
     FROM generate_series(1, ${per}) AS g`,
    [tenantId],
  );
  await pool.query(
    `INSERT INTO event_matches (event_id, tenant_id, verdicts)
     SELECT ${event}, $1, json_build_object('passed', (SELECT json_agg(json_build_array(k, 1, g)) FROM unnest($2::bigint[]) k))
     FROM generate_series(1, ${per}) AS g`,
    values,
  );
  await pool.query(
    `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, state,
       finished_at)
     SELECT ${callout}, $1, w.key, g, ${event}, 'Account', 1 + (g - 1) % 5000, ${action}, ${state}, now() FROM ${rows}`,
    values,
  );
  await pool.query(
    `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
       status, response_headers)
     SELECT ${attempt}, ${callout}, $1, w.key, 1, now(), 1, 'http://127.0.0.1/', '{}',
       CASE WHEN g % 1000 = 0 THEN 500 ELSE 200 END, '{}' FROM ${rows} WHERE g <= ${ended}`,
    values,
  );
  await pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
       sequence_number, state, due_at)
     SELECT ${callout}, $1, w.key, 'Account', 1 + (g - 1) % 5000, 'Update', 'e-' || g, g,
       CASE g % 3 WHEN 0 THEN 'due' WHEN 1 THEN 'waiting' ELSE 'held' END, now() FROM ${rows} WHERE g > ${ended}`,
    values,
  );
  // As autovacuum does: the partitions, and never their parents.
  await pool.query('VACUUM ANALYZE');
}
