import type { ClientBase } from 'pg';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { newId } from '@callout/database/schema/ids';

const tenantCount = 20;
const webhooksOfTenant = 10;
const eventCount = 10_000;

/** Fills tables of work and of history like those of an installation in use, and updates PostgreSQL's statistics. */
export async function fillWorkTables(client: ClientBase): Promise<void> {
  const tenantIds: number[] = [];
  const keys: number[] = [];
  for (let tenant = 1; tenant <= tenantCount; tenant += 1) {
    const tenantId = await insertTenant(client);
    tenantIds.push(tenantId);
    for (let id = 1; id <= webhooksOfTenant; id += 1) keys.push(await insertWebhook(client, tenantId, id));
  }
  const ids = Array.from({ length: eventCount }, () => newId());
  const given = `FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, n)`;
  const tenant = `(ARRAY[${tenantIds.join()}])[1 + n % ${tenantCount}]`;
  const key = '($2::bigint[])[1 + n % cardinality($2::bigint[])]';
  const steps: [text: string, ...more: unknown[]][] = [
    [
      `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
      SELECT ${tenant}, 'Account', n, 1, '{}', '{}' ${given}`,
    ],
    [
      `INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_time, fields, udf_fields)
      SELECT id, ${tenant}, 'Account', n, 1, 'Update', 1, now(), '{}', '{}' ${given}`,
    ],
    [
      `INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
      SELECT id, ${tenant}, 'Account', n, 1, now() + n * interval '1 millisecond' ${given}`,
    ],
    [
      `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action)
      SELECT id, ${tenant}, ${key}, n, 'Account', n, 'Update' ${given}`,
      keys,
    ],
    [`INSERT INTO callout_bodies (callout_id, body) SELECT id, '{}' ${given}`],
    [
      `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
      SELECT id, ${tenant}, ${key}, 'Account', n, 'Update', n, (ARRAY['due', 'due', 'waiting', 'held'])[1 + n % 4],
        now() + (n - 5000) * interval '1 millisecond' ${given}`,
      keys,
    ],
    [
      `INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash) SELECT ${tenant}, id::text, id, '' ${given}`,
    ],
    [
      `INSERT INTO idempotency_keys (credential_id, route, key, request_hash, status, body)
      SELECT 1, 'POST /', id::text, '', 200, '' ${given}`,
    ],
    [
      `INSERT INTO threshold_use (tenant_id, entity_type, second, used)
      SELECT ${tenant}, 'Account', now() - n * interval '1 second', 1 ${given}`,
    ],
  ];
  for (const [text, ...more] of steps) await client.query(text, [ids, ...more]);
  await client.query(
    `INSERT INTO webhook_health (webhook_key, pauses) SELECT key, 1 FROM unnest($1::bigint[]) AS key`,
    [keys],
  );
  await client.query(
    `INSERT INTO udf_definitions (tenant_id, id, entity_type, name, name_folded, label, label_folded, data_type)
     SELECT tenant, n, 'Account', n, n, n, n, 'Text' FROM unnest($1::int[]) AS tenant, generate_series(1, 20) AS n`,
    [tenantIds],
  );
  await client.query(
    `INSERT INTO webhook_udf_fields (tenant_id, entity_type, id, webhook_key, udf_field_id, is_subscribed_field, is_display_always_field)
     SELECT tenant_id, 'Account', 100 * id + n, key, n, true, true FROM webhooks, generate_series(1, 10) AS n`,
  );
  await client.query('ANALYZE');
}

/** Replaces the open callouts by those of one webhook, in one state, and updates PostgreSQL's statistics of them. */
export async function fillOpenCallouts(client: ClientBase, state: 'due' | 'held' | 'waiting'): Promise<void> {
  const ids = Array.from({ length: eventCount }, () => newId());
  await client.query('TRUNCATE open_callouts');
  await client.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
     SELECT id, 1, 1, 'Account', n, 'Update', n, $2, now() FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, n)`,
    [ids, state],
  );
  await client.query('ANALYZE open_callouts');
}
