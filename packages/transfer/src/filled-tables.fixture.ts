import { hash } from 'node:crypto';
import type { Client } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';

/** A column that needs a value, or that refers to the tenant. */
interface Column {
  table: string;
  name: string;
  type: string;
  isNeeded: boolean;
}

/** The values that a check, a foreign key or a partition requires. */
const fitting: Readonly<Record<string, (tenant: FilledTenant) => unknown>> = {
  'callouts.state': () => 'failed',
  'open_callouts.state': () => 'due',
  'open_callouts.record_id': () => 1,
  'pull_leases.outcome': () => 'acked',
  'tenants.state': () => 'active',
  'tenant_moves.direction': () => 'in',
  'console_links.kind': () => 'portal',
  'console_sessions.kind': () => 'portal',
  'credentials.role': () => 'admin',
  'credentials.resource_id': () => 1,
  'webhooks.condition': ({ marker }) => JSON.stringify({ field: marker }),
  'webhooks.request_headers': ({ marker }) => JSON.stringify([{ name: marker }]),
  'webhooks.receiver_auth': ({ marker }) => JSON.stringify({ kind: marker }),
  'webhooks.delivery_mode': () => 'push',
  'webhooks.deactivation_mode': () => 'push',
  'webhooks.signature_kind': () => 'hmac',
  'webhook_udf_fields.udf_field_id': () => 1,
  'webhook_event_error_logs.id': () => Date.now() * 1000 + Math.floor(Math.random() * 1000),
};

/** A tenant with a row in every table that can have one of it. */
export interface FilledTenant {
  readonly tenantId: number;
  readonly webhookKey: number;
  readonly calloutId: string;
  readonly credentialId: number;
  readonly userName: string;
  /** In every text of its rows. */
  readonly marker: string;
}

/** Every table but partitions and those of the installation. */
export async function tablesOf(client: Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column>(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       a.attnotnull AND NOT a.atthasdef AS "isNeeded"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '_[0-9]{8}$'
       AND c.relname <> ALL($1) ORDER BY c.relname, a.attnum`,
    [ofInstallation],
  );
  const tables = new Map<string, Column[]>();
  for (const row of rows) tables.set(row.table, [...(tables.get(row.table) ?? []), row]);
  return tables;
}

/** Tables without anything of a tenant. */
const ofInstallation = [
  'zones',
  // Kept after the tenant: the zone of its users.
  'zone_users',
  'tenants',
  'installation_alerts',
  'operator_messages',
  'statistics_progress',
  'processes',
  'dropped_partitions',
  '_prisma_migrations',
  'applied_migrations',
];
/** Others name them. */
const first = ['resources', 'credentials', 'udf_definitions', 'webhooks', 'callouts'];

/** Fills every table with a row of the tenant, new tables too, and all texts of it with a marker. */
export async function fillTables(client: Client, tenantId: number): Promise<FilledTenant> {
  const marker = `marker-${tenantId}-x`;
  const tenant = { tenantId, webhookKey: 0, calloutId: newId(), credentialId: 0, userName: `user-${marker}`, marker };
  const tables = await tablesOf(client);
  const names = [...first, ...[...tables.keys()].filter((name) => !first.includes(name))];
  for (const name of names) {
    const columns = (tables.get(name) ?? []).filter((one) => one.isNeeded || isText(one) || naming.has(one.name));
    const given = columns.filter((one) => !(one.name === 'id' && name === 'credentials'));
    const values = given.map((one) => valueOf(one, tenant));
    const { rows } = await client.query<Record<string, unknown>>(
      `INSERT INTO ${name} (${given.map((one) => `"${one.name}"`).join(', ')})
       VALUES (${given.map((one, at) => `$${at + 1}::${one.type}`).join(', ')}) RETURNING *`,
      values,
    );
    if (name === 'webhooks') tenant.webhookKey = Number(rows[0]?.['key']);
    if (name === 'credentials') tenant.credentialId = Number(rows[0]?.['id']);
  }
  return tenant;
}

/** Given also where they may be null. */
const naming: ReadonlySet<string> = new Set(['id', 'tenant_id', 'webhook_key']);

function isText({ type }: Column): boolean {
  return type === 'text';
}

function valueOf(column: Column, tenant: FilledTenant): unknown {
  const { table, name, type } = column;
  const own = fitting[`${table}.${name}`];
  if (own !== undefined) return own(tenant);
  if (name === 'tenant_id') return tenant.tenantId;
  if (name === 'webhook_key') return tenant.webhookKey;
  if (name === 'credential_id') return tenant.credentialId;
  if (name === 'callout_id' || (table === 'callouts' && name === 'id')) return tenant.calloutId;
  if (name === 'user_name_folded' || name === 'user_name') return tenant.userName;
  if (name === 'user_name_hash') return hash('sha256', tenant.userName, 'buffer');
  if (type === 'uuid') return newId();
  if (type.startsWith('json')) return JSON.stringify({ of: tenant.marker });
  if (type.startsWith('timestamp')) return new Date();
  if (type === 'bytea') return Buffer.from(tenant.marker);
  if (type === 'boolean') return false;
  if (type.endsWith('[]')) return [];
  if (type === 'text') return column.name === 'kind' ? 'event' : tenant.marker;
  return 1;
}

/** The number of a tenant's rows in each table: by a column that refers to it, or by its marker. */
export async function rowsOf(client: Client, tenant: FilledTenant): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, columns] of await tablesOf(client)) {
    const has = (column: string) => columns.some((one) => one.name === column);
    const conditions = [
      `t::text LIKE '%${tenant.marker}%'`,
      `t::text LIKE '%${Buffer.from(tenant.marker).toString('hex')}%'`,
    ];
    if (has('tenant_id')) conditions.push(`tenant_id = ${tenant.tenantId}`);
    if (has('webhook_key')) conditions.push(`webhook_key = ${tenant.webhookKey}`);
    if (has('credential_id')) conditions.push(`credential_id = ${tenant.credentialId}`);
    if (has('callout_id')) conditions.push(`callout_id = '${tenant.calloutId}'`);
    if (has('user_name_hash')) conditions.push(`user_name_hash = sha256('${tenant.userName}')`);
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*) AS count FROM ${name} AS t WHERE ${conditions.join(' OR ')}`,
    );
    counts[name] = rows[0]?.count ?? -1;
  }
  return counts;
}
