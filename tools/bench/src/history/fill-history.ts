import { dayMs, ensureDays } from '@callout/database/schema/partitions';
import { withClient } from '@callout/local/postgres';

const DAYS = 30;
/** Of the tenant whose history it is, beside the one that gets the load: inactive, so that they get nothing. */
const OTHER_WEBHOOKS = 99;
/** Events of a record. */
const EVENTS_PER_RECORD = 20;
/** Above the records that a load changes. */
const FIRST_RECORD = 1_000_000_000;
/** By the shares below: 2 % of the callouts failed after 3 attempts, 4 % took 2. */
const ATTEMPTS_PER_EVENT = 1.08;
/** Events of one statement: few enough to be stopped between two. */
const EVENTS_PER_STATEMENT = 20_000;
const LAYOUT = 1;

/** A UUID of version 7, whose last digits are a number. */
const idAt = (ms: string, version: string, number: string): string =>
  `(lpad(to_hex(${ms}), 12, '0') || '${version}8' || lpad(to_hex(${number}), 15, '0'))::uuid`;

/** Each event makes a callout of one webhook: two of five to that of the load. */
const fill = `
  WITH event AS MATERIALIZED (
    SELECT e, e / cardinality($5::bigint[]) + 1 AS sequence_number, ${FIRST_RECORD} + e % $6::bigint AS record_id,
      ms, to_timestamp(ms / 1000.0) AS moment, e % 50 AS turn, ${idAt('ms', '7000', 'e')} AS id,
      ${idAt('ms', '7001', 'e')} AS callout_id, 'Update' AS action,
      CASE WHEN e % 5 < 2 THEN $5[1] ELSE $5[1 + e % cardinality($5)] END AS webhook_key,
      CASE e % 50 WHEN 25 THEN 3 WHEN 10 THEN 2 WHEN 40 THEN 2 ELSE 1 END AS attempts
    FROM (SELECT e, $3::bigint + e * $4::bigint AS ms FROM generate_series($1::bigint, $2::bigint) AS e OFFSET 0) AS numbered
  ), events_made AS (
    INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
      accepted_at, changed_fields, changed_udfs, fields, udf_fields)
    SELECT id, $7, 'Account', record_id, e + 1, action, 1, 'e-' || e, moment, moment, '{companyName}', '{}',
      '{"companyName":"Renamed"}', '{}' FROM event
  ), keys_made AS (
    INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash, accepted_at)
    SELECT $7, 'e-' || e, id, decode(repeat('00', 32), 'hex'), moment FROM event
    WHERE moment > now() - interval '23 hours'
  ), matches_made AS (
    INSERT INTO event_matches (event_id, tenant_id, matched_at, verdicts)
    SELECT id, $7, moment, format('{"passed":[[%s,1,%s]]}', webhook_key, sequence_number)::json FROM event
  ), callouts_made AS (
    INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, state,
      finished_at, layout_id)
    SELECT callout_id, $7, webhook_key, sequence_number, id, 'Account', record_id, action,
      CASE WHEN turn = 25 THEN 'failed' ELSE 'delivered' END, moment + attempts * interval '1 second', ${LAYOUT} FROM event
  )
  INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
    status, response_headers, next_attempt_at)
  SELECT ${idAt('ms + 1000 * n', '7002', 'e * 4 + n')}, callout_id, $7, webhook_key, n, moment + n * interval '1 second',
    20, 'http://127.0.0.1/in', '{"User-Agent":"Callout"}',
    CASE WHEN n = attempts AND turn <> 25 THEN 200 ELSE 503 END, '{"content-length":"0"}',
    CASE WHEN n < attempts THEN moment + (n + 1) * interval '1 second' END
  FROM event, LATERAL (VALUES (1), (2), (3)) AS made (n) WHERE n <= attempts`;

const makeWebhooks = `
  INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active,
    is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
    send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
  SELECT w.tenant_id, w.entity_type, w.id + n, gen_random_uuid(), 'bench.history.' || n, w.webhook_url,
    w.deactivation_url, false, true, true, false, false, w.owner_resource_id, '', '', ''
  FROM webhooks AS w, generate_series(1, ${OTHER_WEBHOOKS}) AS n`;

/** What the callouts of all webhooks show. */
const makeLayouts = `
  INSERT INTO payload_layouts (webhook_key, id, tenant_id, layout)
  SELECT key, ${LAYOUT}, tenant_id, '{"fields":[
    {"name":"companyName","key":"CompanyName","isSubscribed":true,"isDisplayAlways":true}],"udfFields":[]}' FROM webhooks`;

const makeRecords = `
  INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, terms)
  SELECT $1::int, 'Account', ${FIRST_RECORD} + n, n, f, '{}',
    (SELECT array_agg(('x' || left(encode(sha256(convert_to($1::int || '/Account/' || key || '=' || lower(value), 'UTF8')),
      'hex'), 16))::bit(64)::bigint) FROM jsonb_each_text(f))
  FROM generate_series(0, $2::int - 1) AS n, LATERAL (SELECT jsonb_build_object('companyName', 'Company ' || n,
    'companyNumber', 'C-' || n, 'companyType', (n % 5)::text, 'address1', n || ' Long Street', 'city', 'City ' || n % 1000,
    'postalCode', lpad((n % 90000)::text, 5, '0'), 'phone', '+1 555 ' || n, 'taxID', 'Tax ' || n) AS f OFFSET 0) AS made`;

interface FillOptions {
  readonly tenantId: number;
  /** About so many. */
  readonly attempts: number;
}

/**
 * Gives the one webhook of a new installation, and others of its tenant, what an installation has after 30 days: events,
 * callouts, attempts and records. @returns how many attempts were made.
 */
export async function fillHistory(
  url: string,
  { tenantId, attempts: wanted }: FillOptions,
  report: (line: string) => void,
): Promise<number> {
  const events = Math.max(1, Math.round(wanted / ATTEMPTS_PER_EVENT));
  const records = Math.max(1, Math.floor(events / EVENTS_PER_RECORD));
  const stepMs = Math.max(1, Math.floor((DAYS * dayMs) / events));
  // So that no attempt is of the future.
  const endMs = Date.now() - 60_000;
  const baseMs = endMs - (events - 1) * stepMs;
  return withClient(url, async (client) => {
    // A connection that breaks, such as when the run is interrupted, reports it to its statement as well.
    client.on('error', () => undefined);
    await ensureDays(
      client,
      Array.from({ length: DAYS + 1 }, (_, day) => new Date(Math.floor(endMs / dayMs - day) * dayMs)),
    );
    await client.query(makeWebhooks);
    await client.query(makeLayouts);
    const { rows } = await client.query<{ key: string }>('SELECT key FROM webhooks ORDER BY is_active DESC, key');
    await client.query("SET synchronous_commit = off; SET jit = off; SET maintenance_work_mem = '512MB'");
    let attempts = 0;
    for (let from = 0; from < events; from += EVENTS_PER_STATEMENT) {
      const to = Math.min(events, from + EVENTS_PER_STATEMENT) - 1;
      const keys = rows.map(({ key }) => key);
      attempts += (await client.query(fill, [from, to, baseMs, stepMs, keys, records, tenantId])).rowCount ?? 0;
    }
    await client.query('UPDATE webhooks SET last_sequence = $1', [events]);
    report('  records …');
    await client.query(makeRecords, [tenantId, records]);
    report('  what autovacuum would have done by now …');
    await client.query('VACUUM (ANALYZE)');
    return attempts;
  });
}
