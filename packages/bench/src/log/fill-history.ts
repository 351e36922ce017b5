import { ensurePartitions } from '@callout/db/schema';
import { Client } from 'pg';
import { DAYS, FEW_SMALL_TENANTS, WEBHOOKS_OF_LARGE_TENANT, type History, type SmallTenants } from './history.ts';

/** Events of one statement: enough to be fast, few enough to be stopped between two. */
const EVENTS_PER_STATEMENT = 20_000;
/** One waits for the other at the end of a table at times; more of them would wait more. */
const FILLERS = 2;
/** The catalogue's number of a company's name. */
const COMPANY_NAME = 2;
const dayMs = 86_400_000;
/** ensurePartitions makes the days from yesterday to a week ahead. */
const DAYS_AT_ONCE = 9;

export interface FillOptions {
  readonly history: History;
  /** Of the large tenant, and of the two small ones. */
  readonly tenantIds: readonly number[];
  readonly webhookKeys: readonly number[];
}

/** A webhook that there is already, and that the large share of the history is of. */
export interface LargeWebhook {
  readonly key: number;
  readonly guid: string;
}

interface OwnersOptions {
  readonly tenantId: number;
  readonly small?: SmallTenants;
  /** Undefined makes one. */
  readonly large?: LargeWebhook;
}

/** The numbers of webhooks and of their fields that are made here begin above those that there may be. */
const FIRST_CHILD_ID = 1000;

/** Whose callouts they are: the large tenant `tenantId`, and small ones that are made here. The large webhook is first. */
export async function makeOwners(
  client: Client,
  { tenantId, small = FEW_SMALL_TENANTS, large }: OwnersOptions,
): Promise<Omit<FillOptions, 'history'> & { readonly guids: readonly string[] }> {
  const { rows: others } = await client.query<{ id: number }>(
    `INSERT INTO tenants (name, zone_id) SELECT 'bench-' || n, zone_id FROM tenants, generate_series(1, $2) n
     WHERE id = $1 ORDER BY n RETURNING id`,
    [tenantId, small.tenants],
  );
  const tenantIds = [tenantId, ...others.map(({ id }) => id)];
  const given = large === undefined ? 0 : 1;
  const ofLarge = Array.from({ length: WEBHOOKS_OF_LARGE_TENANT - given }, () => tenantIds[0]);
  const ofSmall = Array.from({ length: small.webhooks }, (_, n) => tenantIds[1 + (n % small.tenants)]);
  await client.query(
    `INSERT INTO resources (tenant_id, id, email) SELECT id, 1, 'owner@example.com' FROM unnest($1::int[]) AS t (id)
     ON CONFLICT DO NOTHING`,
    [tenantIds],
  );
  const { rows: webhooks } = await client.query<{ key: string; guid: string }>(
    `INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active, activated_at,
       is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
       send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
     SELECT tenant_id, 'Account', n + $2, gen_random_uuid(), 'bench.log.' || n, 'http://127.0.0.1/in', 'http://127.0.0.1/off', true,
       now() - interval '1 year', true, true, true, false, 1, '', '', ''
     FROM unnest($1::int[]) WITH ORDINALITY AS w (tenant_id, n) ORDER BY n RETURNING key, guid`,
    [[...ofLarge, ...ofSmall], given],
  );
  await client.query(
    `INSERT INTO webhook_fields (tenant_id, entity_type, id, webhook_key, field_id, is_subscribed_field,
       is_display_always_field)
     SELECT tenant_id, entity_type, $3 + id, key, $1, true, false FROM webhooks WHERE key = ANY($2::bigint[])`,
    [COMPANY_NAME, webhooks.map(({ key }) => key), FIRST_CHILD_ID],
  );
  const all = [...(large === undefined ? [] : [large]), ...webhooks];
  return { tenantIds, webhookKeys: all.map(({ key }) => Number(key)), guids: all.map(({ guid }) => guid) };
}

/** `history.ts` has the same in words. */
const idAt = (ms: string, version: string, number: string): string =>
  `(lpad(to_hex(${ms}), 12, '0') || '${version}8' || lpad(to_hex(${number}), 15, '0'))::uuid`;

const ofLarge = WEBHOOKS_OF_LARGE_TENANT;
/** Those of the large tenant that are not the large one. */
const ofRest = ofLarge - 1;

const fillOf = ({ tenants, webhooks: ofSmall }: SmallTenants): string => `
  WITH event AS MATERIALIZED (
    SELECT e, own, e % 3 < 2 AS is_large, 1 + own % $4::bigint AS record_id, ms,
      ${idAt('ms', '7000', 'e')} AS id, ($7::int[])[CASE WHEN e % 3 < 2 THEN 1 ELSE 2 + own % ${ofSmall} % ${tenants} END] AS tenant_id,
      to_timestamp(ms / 1000.0) AS moment,
      CASE WHEN own < $4 THEN 'Create' WHEN own % 1000 = 999 THEN 'Delete' ELSE 'Update' END AS action
    FROM (
      SELECT e, CASE WHEN e % 3 < 2 THEN e / 3 * 2 + e % 3 ELSE e / 3 END AS own, $5::bigint + e * $6::bigint AS ms
      FROM generate_series($1::bigint, $2::bigint) AS e OFFSET 0
    ) AS numbered
  ), callout AS MATERIALIZED (
    SELECT c.*, ${idAt('ms', '7001', 'number')} AS callout_id, ($8::bigint[])[1 + webhook] AS webhook_key,
      CASE WHEN turn = 30 AND e < $3::bigint THEN 'cancelled' WHEN turn = 25 THEN 'failed' ELSE 'delivered' END AS state,
      CASE WHEN turn = 30 AND e < $3 THEN 0 WHEN turn = 25 THEN 3 WHEN turn IN (10, 40) THEN 2 ELSE 1 END AS attempts
    FROM (
      SELECT event.*, e * 2 + place AS number, webhook, sequence_number, sequence_number % 50 AS turn
      FROM event, LATERAL (
        SELECT 0 AS place, CASE WHEN is_large THEN 0 ELSE ${ofLarge} + own % ${ofSmall} END AS webhook,
          CASE WHEN is_large THEN own + 1 ELSE own / ${ofSmall} + 1 END AS sequence_number
        UNION ALL SELECT 1, 1 + own % ${ofRest}, own / ${ofRest} + 1 WHERE is_large
      ) AS owed OFFSET 0
    ) AS c
  ), events_made AS (
    INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
      accepted_at, changed_fields, changed_udfs, fields, udf_fields)
    SELECT id, tenant_id, 'Account', record_id, e + 1, action, 1, 'e-' || e, moment, moment, '{companyName}', '{}',
      '{"companyName":"Renamed"}', '{}' FROM event
  ), matches_made AS (
    INSERT INTO event_matches (event_id, tenant_id, matched_at, verdicts)
    SELECT id, tenant_id, moment, CASE WHEN is_large
      THEN format('{"owed":[[%s,1,%s],[%s,1,%s]]}', ($8::bigint[])[1], own + 1, ($8::bigint[])[2 + own % ${ofRest}], own / ${ofRest} + 1)
      ELSE format('{"owed":[[%s,1,%s]]}', ($8::bigint[])[1 + ${ofLarge} + own % ${ofSmall}], own / ${ofSmall} + 1) END::json FROM event
  ), callouts_made AS (
    INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, state,
      finished_at)
    SELECT callout_id, tenant_id, webhook_key, sequence_number, id, 'Account', record_id, action, state,
      moment + attempts * interval '1 second' FROM callout
  ), bodies_made AS (
    INSERT INTO callout_bodies (callout_id, body)
    SELECT callout_id, format('{"Action":"%s","Id":%s,"SequenceNumber":%s,"Fields":{"CompanyName":"Renamed"}}', action,
      record_id, sequence_number) FROM callout
  )
  INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
    status, response_headers, failure_reason, failure, next_attempt_at)
  SELECT ${idAt('ms + 1000 * n', '7002', 'number * 4 + n')}, callout_id, tenant_id, webhook_key, n,
    moment + n * interval '1 second', 20, 'http://127.0.0.1/in', '{"content-type":"application/json"}',
    CASE WHEN n = attempts AND state = 'delivered' THEN 200 WHEN turn = 40 THEN NULL ELSE 503 END,
    CASE WHEN turn = 40 AND n < attempts THEN NULL ELSE '{"content-length":"0"}' END::json,
    CASE WHEN turn = 40 AND n < attempts THEN 'refused' END, CASE WHEN turn = 40 AND n < attempts THEN 'no answer' END,
    CASE WHEN n < attempts THEN moment + (n + 1) * interval '1 second' END
  FROM callout, LATERAL (VALUES (1), (2), (3)) AS made (n) WHERE n <= attempts`;

/**
 * Fills the history tables, by statements that make whole sets, over all their indexes. The partitions are not written to
 * the log of the server, which a run that removes them again has no use for; reading them costs the same.
 * @returns how many attempts were made.
 */
export async function fillHistory(url: string, options: FillOptions, tell: (line: string) => void): Promise<number> {
  const { history, tenantIds, webhookKeys } = options;
  const { events, cancelledBefore, records, baseMs, stepMs } = history;
  const fill = fillOf(history.small);
  const clients = Array.from({ length: FILLERS }, () => new Client({ connectionString: url }));
  // A connection that breaks, such as when the run is interrupted, tells it to its statement as well.
  for (const client of clients) client.on('error', () => undefined);
  await Promise.all(clients.map((client) => client.connect()));
  try {
    const [first] = clients;
    const partitions = first === undefined ? [] : await makePartitions(first, history);
    let next = 0;
    let attempts = 0;
    const fillOn = async (client: Client) => {
      await client.query('SET synchronous_commit = off; SET jit = off');
      while (next < events) {
        const from = next;
        next = Math.min(events, from + EVENTS_PER_STATEMENT);
        const values = [from, next - 1, cancelledBefore, records, baseMs, stepMs, tenantIds, webhookKeys];
        const { rowCount } = await client.query(fill, values);
        // Not before it is known: the other filler adds meanwhile.
        attempts += rowCount ?? 0;
        if (from % (50 * EVENTS_PER_STATEMENT) === 0 && from > 0)
          tell(`  ${attempts.toLocaleString('en-US')} attempts …`);
      }
    };
    await Promise.all(clients.map(fillOn));
    tell('  what autovacuum would have done by now …');
    const vacuum = async (client: Client) => {
      for (let name = partitions.pop(); name !== undefined; name = partitions.pop()) {
        await client.query(`VACUUM (ANALYZE) "${name}"`);
      }
    };
    await Promise.all(clients.map(vacuum));
    return attempts;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** @returns those of the history's days. */
async function makePartitions(client: Client, { baseMs }: History): Promise<string[]> {
  const made: string[] = [];
  for (let day = 1; day <= DAYS + DAYS_AT_ONCE; day += DAYS_AT_ONCE) {
    made.push(...(await ensurePartitions(client, new Date(baseMs + day * dayMs))));
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE c.relkind = 'r' AND right(c.relname, 8) BETWEEN $1 AND $2`,
    [digitsOf(baseMs), digitsOf(baseMs + (DAYS + 1) * dayMs)],
  );
  for (const { name } of rows) {
    await client.query(`ALTER TABLE "${name}" SET UNLOGGED; ALTER TABLE "${name}" SET (autovacuum_enabled = off)`);
  }
  return rows.map(({ name }) => name);
}

function digitsOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}
