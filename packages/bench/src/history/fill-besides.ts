import type { Client } from 'pg';
import { momentOf, type History } from '../log/history.ts';

const KEYS_MS = 86_400_000;
/** Mails and pauses for this many events. */
const EVENTS_PER_MAIL = 50;

/** Each makes the rows of a small table that a history of $1 events leaves behind. */
const besides: readonly string[] = [
  // Minutes of two days, and the hours of all.
  `INSERT INTO delivery_minutes (webhook_key, minute, tenant_id, entity_type, delivered, failed, attempts, failed_attempts,
     answer_ms, answer_times)
   SELECT webhook_key, date_trunc('minute', started_at), max(tenant_id), 'Account', count(*) FILTER (WHERE status = 200),
     0, count(*), count(*) FILTER (WHERE status IS DISTINCT FROM 200), sum(duration_ms), '{}'
   FROM attempts WHERE $1 > 0 AND started_at > now() - interval '2 days' AND id >= $2::uuid GROUP BY 1, 2`,
  `INSERT INTO delivery_hours (webhook_key, hour, tenant_id, entity_type, delivered, failed, attempts, failed_attempts,
     answer_ms, answer_times)
   SELECT webhook_key, date_trunc('hour', started_at), max(tenant_id), 'Account', count(*) FILTER (WHERE status = 200),
     0, count(*), count(*) FILTER (WHERE status IS DISTINCT FROM 200), sum(duration_ms), '{}'
   FROM attempts WHERE $1 > 0 AND $2 <> '' GROUP BY 1, 2`,
  `INSERT INTO statistics_progress (name, minutes_until, hours_until, seen_until)
   SELECT 'deliveries', date_trunc('minute', now()), date_trunc('hour', now()), date_trunc('minute', now())
   WHERE $1 > 0 AND $2 <> '' ON CONFLICT (name) DO UPDATE SET minutes_until = EXCLUDED.minutes_until,
     hours_until = EXCLUDED.hours_until, seen_until = EXCLUDED.seen_until`,
  `INSERT INTO webhook_event_error_logs (id, tenant_id, owner_resource_id, entity_type, webhook_id, webhook_guid,
     sequence_number, created_at, error_message, payload)
   SELECT (extract(epoch FROM c.finished_at) * 1000)::bigint * 1000 + row_number() OVER () % 1000, c.tenant_id, 1,
     c.entity_type, w.id, w.guid, c.sequence_number, c.finished_at, 'The receiver answered 503.',
     '{"Action":"Update","Fields":{"CompanyName":"Renamed"}}'
   FROM callouts c JOIN webhooks w ON w.key = c.webhook_key WHERE c.state = 'failed' AND $1 > 0 AND $2 <> ''`,
  `INSERT INTO notifications (id, tenant_id, webhook_key, kind, occasion, recipient, content, state, mail_id, mail_at,
     due_at, created_at, sent_at)
   SELECT gen_random_uuid(), w.tenant_id, w.key, 'error', 'n' || n, 'owner@example.com', '{}', 'sent',
     gen_random_uuid(), at, at, at, at
   FROM generate_series(1, $1 / ${EVENTS_PER_MAIL}) AS n, LATERAL (SELECT now() - n * interval '30 days' / ($1 / ${EVENTS_PER_MAIL} + 1) AS at) AS t,
     LATERAL (SELECT key, tenant_id FROM webhooks WHERE key = 1 + n % (SELECT max(key) FROM webhooks)) AS w WHERE $2 <> ''`,
  // Pauses are kept as long as callouts, other changes for ever: here those of a year.
  `INSERT INTO webhook_changes (id, tenant_id, webhook_key, at, change, cause)
   SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
     w.tenant_id, w.key, at, CASE WHEN at < now() - interval '30 days' OR n % 5 = 0 THEN 'deactivated'
       WHEN n % 2 = 0 THEN 'paused' ELSE 'resumed' END, 'receiverDown'
   FROM generate_series(1, $1 / ${EVENTS_PER_MAIL}) AS n, LATERAL (SELECT now() - n * interval '365 days' / ($1 / ${EVENTS_PER_MAIL} + 1) AS at) AS t,
     LATERAL (SELECT key, tenant_id FROM webhooks WHERE key = 1 + n % (SELECT max(key) FROM webhooks)) AS w WHERE $2 <> ''`,
  `INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash, accepted_at)
   SELECT tenant_id, event_key, id, decode(repeat('00', 32), 'hex'), accepted_at FROM events
   WHERE id >= $2::uuid AND accepted_at > now() - interval '23 hours' AND $1 > 0`,
  `INSERT INTO idempotency_keys (credential_id, route, key, request_hash, status, body, created_at)
   SELECT credential_id, 'POST /EntityEvents', gen_random_uuid(), decode(repeat('00', 32), 'hex'), 202, '{"items":[]}',
     now() - n * interval '23 hours' / ($1 / ${EVENTS_PER_MAIL} + 1)
   FROM generate_series(1, $1 / ${EVENTS_PER_MAIL}) AS n, (SELECT min(id) AS credential_id FROM credentials) AS c WHERE $2 <> ''`,
  `INSERT INTO threshold_use (tenant_id, entity_type, second, used)
   SELECT id, 'Account', date_trunc('second', now()) - n * interval '35 seconds', 1 FROM tenants, generate_series(1, 100) AS n
   WHERE $1 > 0 AND $2 <> ''`,
  `INSERT INTO threshold_windows (tenant_id, entity_type, used) SELECT id, 'Account', 100 FROM tenants WHERE $1 > 0 AND $2 <> ''`,
];

/** Fills what grows beside the partitions: statistics, error logs, mails, changes of webhooks, keys, the threshold. */
export async function fillBesides(client: Client, history: History): Promise<void> {
  const sinceKeysMs = momentOf(history, history.events) - 2 * KEYS_MS;
  const since = `${Math.floor(sinceKeysMs).toString(16).padStart(12, '0')}70008000000000000000`;
  await client.query("SET work_mem = '256MB'; SET synchronous_commit = off; SET jit = off");
  for (const text of besides) await client.query(text, [history.events, since]);
}
