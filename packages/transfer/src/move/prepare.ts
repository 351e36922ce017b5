import { secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { findMove } from './begin.ts';
import { countTakenIds } from './text-rows.ts';
import { conditions, copiedAtOnce, copiedInRounds } from './moved-tables.ts';
import type { Zones } from './move-context.ts';

/** The data of a move, and its blockers. */
export interface MovePlan {
  readonly tenantId: number;
  readonly tenantName: string;
  /** Rows of each table; of history, as PostgreSQL estimates it. */
  readonly rows: Readonly<Record<string, number>>;
  /** Of the same, with the share that the tenant has of each table. */
  readonly bytes: number;
  /** Each in one sentence; empty when it can be moved. */
  readonly hindrances: readonly string[];
  /** Values that the move changes; each in one sentence. */
  readonly notices: readonly string[];
}

/** Looks at both zones, and changes nothing. */
export async function planMove(
  zones: Zones,
  tenant: { readonly id: number; readonly name: string },
  zoneName: string,
): Promise<MovePlan> {
  const { source } = zones;
  const rows: Record<string, number> = {};
  let bytes = 0;
  for (const table of copiedInRounds) {
    // Bodies have no column for the tenant: one for each callout.
    const counted = table === 'callout_bodies' ? 'callouts' : table;
    rows[table] = await countRows(source.pool, counted, countCondition(counted), tenant.id);
    bytes += await bytesOf(source.pool, table, rows[table]);
  }
  for (const [table, by] of copiedAtOnce) {
    rows[table] = await countRows(source.pool, table, conditions[by], tenant.id);
    bytes += await bytesOf(source.pool, table, rows[table]);
  }
  const isBegun = (await findMove(zones, tenant.id)) !== undefined;
  const hindrances = await findBlockers(zones, tenant, zoneName, isBegun);
  // Of a move that has begun they may be its own copies.
  const taken = isBegun ? 0 : await countTakenIds(source.pool, zones.target.pool, tenant.id);
  const notices = taken === 0 ? [] : [`${taken} error logs get other ids: theirs are taken where it goes.`];
  return { tenantId: tenant.id, tenantName: tenant.name, rows, bytes, hindrances, notices };
}

/** By an index wherever there is one. */
function countCondition(table: string): string {
  return table === 'callouts' || table === 'webhook_changes' ? conditions.webhook : conditions.tenant;
}

async function countRows(pool: Pool, table: string, condition: string, tenantId: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*) AS count FROM "${table}" AS t WHERE ${condition}`,
    [tenantId],
  );
  return rows[0]?.count ?? 0;
}

async function bytesOf(pool: Pool, table: string, ofTenant: number): Promise<number> {
  const { rows } = await pool.query<{ bytes: number; rows: number }>(
    `SELECT coalesce(sum(pg_table_size(c.oid)), 0)::float8 AS bytes, coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
     FROM pg_class c WHERE c.relkind = 'r' AND c.oid IN (
       SELECT relid FROM pg_partition_tree(to_regclass($1)) UNION SELECT to_regclass($1))`,
    [table],
  );
  const { bytes = 0, rows: all = 0 } = rows[0] ?? {};
  return Math.round(all === 0 ? 0 : bytes * Math.min(1, ofTenant / all));
}

/** The blockers of a move, each in one sentence. @param isBegun rows in the target may be the move's own. */
export async function findBlockers(
  { source, target }: Zones,
  tenant: { readonly id: number; readonly name: string },
  zoneName: string,
  isBegun: boolean,
): Promise<string[]> {
  const found: string[] = [];
  const [here, there] = await Promise.all([migrationsOf(source.pool), migrationsOf(target.pool)]);
  const deleted = await source.pool.query('SELECT FROM tenants WHERE id = $1 AND deleting_at IS NOT NULL', [tenant.id]);
  if (deleted.rows.length > 0) found.push('The tenant is being deleted.');
  if (here !== there) found.push('The two databases have different migrations: upgrade both zones to one version.');
  for (const [pool, where] of [
    [source.pool, 'that it leaves'],
    [target.pool, 'that it goes to'],
  ] as const) {
    const { rows } = await pool.query<{ url: string }>('SELECT url FROM zones WHERE name = $1', [zoneName]);
    if (rows.length === 0)
      found.push(`The database ${where} knows no zone ${zoneName}: callout admin zones create makes it.`);
    else if (rows[0]?.url === '')
      found.push(`The zone ${zoneName} has no URL in the database ${where}: callout admin zones set.`);
  }
  const unreadable = await unreadableSecrets({ source, target }, tenant.id);
  if (unreadable > 0) found.push(`SECRET_KEYS does not open the secrets of ${unreadable} webhooks of the tenant.`);
  if (isBegun) return found;
  const taken = await target.pool.query('SELECT FROM tenants WHERE name = $1', [tenant.name]);
  if (taken.rows.length > 0) found.push(`There is a tenant ${tenant.name} already where it goes.`);
  const { rows: users } = await source.pool.query<{ name: string }>(
    'SELECT user_name_folded AS name FROM credentials WHERE tenant_id = $1',
    [tenant.id],
  );
  const { rows: known } = await target.pool.query<{ name: string }>(
    'SELECT user_name AS name FROM credentials WHERE user_name_folded = ANY($1::text[]) ORDER BY user_name LIMIT 5',
    [users.map(({ name }) => name)],
  );
  for (const { name } of known) found.push(`The user name ${name} is taken where it goes.`);
  const { rows: guids } = await source.pool.query<{ guid: string }>('SELECT guid FROM webhooks WHERE tenant_id = $1', [
    tenant.id,
  ]);
  const { rows: webhooks } = await target.pool.query('SELECT FROM webhooks WHERE guid = ANY($1::uuid[]) LIMIT 1', [
    guids.map(({ guid }) => guid),
  ]);
  if (webhooks.length > 0) found.push('Webhooks of the tenant are there already: is it a copy of the same database?');
  return found;
}

async function migrationsOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ names: string | null }>(
    `SELECT string_agg(migration_name, ' ' ORDER BY migration_name) AS names FROM _prisma_migrations
     WHERE rolled_back_at IS NULL`,
  );
  return rows[0]?.names ?? '';
}

async function unreadableSecrets({ source }: Zones, tenantId: number): Promise<number> {
  const { rows } = await source.pool.query<{ guid: string; keyId: string; nonce: Buffer; ciphertext: Buffer }>(
    `SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext FROM webhooks
     WHERE tenant_id = $1 AND secret_key_id <> ''
     UNION ALL
     SELECT guid, previous_secret_key_id, previous_secret_nonce, previous_secret_ciphertext FROM webhooks
     WHERE tenant_id = $1 AND previous_secret_key_id IS NOT NULL`,
    [tenantId],
  );
  return rows.filter(({ guid, ...sealed }) => {
    try {
      source.keyRing.decrypt(sealed, secretAad(tenantId, guid));
      return false;
    } catch {
      return true;
    }
  }).length;
}
