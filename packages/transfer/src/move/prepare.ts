import { Problem } from '@callout/domain/problem';
import { secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { newId } from '@callout/database/schema/ids';
import { ensureDays } from '@callout/database/schema/partitions';
import { countTakenIds } from './error-log-ids.ts';
import { inTransactionOf, type Zones } from './move.ts';
import { history, setUp } from './moved-tables.ts';

/** The data of a move, and its blockers. */
export interface MovePlan {
  readonly tenantId: number;
  readonly tenantName: string;
  /** Rows of each table. */
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
  for (const [table, condition] of [...history, ...setUp]) {
    rows[table] = await countRows(source.pool, table, condition, tenant.id);
    bytes += await bytesOf(source.pool, table, rows[table]);
  }
  const isBegun = (await findMove(zones, tenant.id)) !== undefined;
  const hindrances = await findBlockers(zones, tenant, zoneName, isBegun);
  // Of a move that has begun they may be its own copies.
  const taken = isBegun ? 0 : await countTakenIds(source.pool, zones.target.pool, tenant.id);
  const notices = taken === 0 ? [] : [`${taken} error logs get other ids: theirs are taken where it goes.`];
  if ((rows['signing_keys'] ?? 0) > 0) {
    notices.push('Receivers that read the public keys of the tenant by their URL have to read them where it goes.');
  }
  return { tenantId: tenant.id, tenantName: tenant.name, rows, bytes, hindrances, notices };
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
  if (unreadable > 0) found.push(`SECRET_KEYS does not open ${unreadable} of the secrets of the tenant.`);
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
     WHERE tenant_id = $1 AND previous_secret_key_id IS NOT NULL
     UNION ALL
     SELECT guid, receiver_key_id, receiver_nonce, receiver_ciphertext FROM webhooks
     WHERE tenant_id = $1 AND receiver_key_id IS NOT NULL
     UNION ALL
     SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE tenant_id = $1
     UNION ALL
     SELECT id, previous_key_id, previous_nonce, previous_ciphertext FROM signing_keys
     WHERE tenant_id = $1 AND previous_key_id IS NOT NULL`,
    [tenantId],
  );
  return rows.filter(({ guid, ...encrypted }) => {
    try {
      source.keyRing.decrypt(encrypted, secretAad(tenantId, guid));
      return false;
    } catch {
      return true;
    }
  }).length;
}

/** A move, as recorded in the database that the tenant leaves. */
export interface BegunMove {
  readonly id: string;
  readonly zoneName: string;
  /** The row in the other database was made. */
  readonly isPrepared: boolean;
  /** The other zone serves the tenant, or will after the last step. */
  readonly hasLeft: boolean;
}

/** The last move of a tenant out of a database; undefined: there is none. */
export async function findMove({ source }: Pick<Zones, 'source'>, tenantId: number): Promise<BegunMove | undefined> {
  const { rows } = await source.pool.query<BegunMove>(
    `SELECT m.id, m.zone_name AS "zoneName", m.is_prepared AS "isPrepared", m.finished_at IS NOT NULL AS "hasLeft"
     FROM tenant_moves m WHERE m.tenant_id = $1 AND m.direction = 'out' ORDER BY m.started_at DESC LIMIT 1`,
    [tenantId],
  );
  return rows[0];
}

/**
 * Notes a move in both databases, first in the one where the tenant is. From then on the other one has a tenant of that
 * name, which cannot be used yet.
 * @returns its number there.
 * @throws a Problem `conflict` when it goes on in another database than it began with.
 */
export async function begin(
  zones: Zones,
  tenant: { readonly id: number; readonly name: string },
  zoneName: string,
  begun: BegunMove | undefined,
): Promise<{ readonly id: string; readonly targetTenantId: number }> {
  const { source, target } = zones;
  const id = begun?.id ?? newId();
  if (begun === undefined) {
    await source.pool.query(
      `INSERT INTO tenant_moves (id, tenant_id, direction, zone_name) VALUES ($1, $2, 'out', $3)`,
      [id, tenant.id, zoneName],
    );
  }
  const known = await target.pool.query<{ tenantId: number; deletingAt: Date | null }>(
    `SELECT m.tenant_id AS "tenantId", t.deleting_at AS "deletingAt" FROM tenant_moves m JOIN tenants t ON t.id = m.tenant_id
     WHERE m.id = $1`,
    [id],
  );
  const [there] = known.rows;
  if (there !== undefined && there.deletingAt !== null) {
    throw Problem.conflict('This move is being undone: run the command with --abort once more');
  }
  if (there === undefined && begun?.isPrepared === true) {
    throw Problem.conflict(
      `The move of ${tenant.name} to the zone ${begun.zoneName} has begun with another database: name that one, or run the command with --abort`,
    );
  }
  const targetTenantId = there?.tenantId ?? (await makeTenant(zones, id, tenant.name, zoneName));
  await source.pool.query('UPDATE tenant_moves SET is_prepared = true WHERE id = $1', [id]);
  await ensureDays(target.pool, await daysOf(source.pool));
  return { id, targetTenantId };
}

function makeTenant({ target }: Zones, id: string, name: string, zoneName: string): Promise<number> {
  return inTransactionOf(target.pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO tenants (name, zone_id, state) SELECT $1, id, 'arriving' FROM zones WHERE name = $2 RETURNING id`,
      [name, zoneName],
    );
    const tenantId = rows[0]?.id;
    if (tenantId === undefined) throw new Error(`there is no zone ${zoneName}`);
    await client.query(`INSERT INTO tenant_moves (id, tenant_id, direction, zone_name) VALUES ($1, $2, 'in', $3)`, [
      id,
      tenantId,
      zoneName,
    ]);
    return tenantId;
  });
}

/** The days that a database has history of. */
async function daysOf(pool: Zones['source']['pool']): Promise<Date[]> {
  const { rows } = await pool.query<{ day: string }>(
    `SELECT DISTINCT right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$' AND c.relnamespace = quote_ident(current_schema())::regnamespace
     ORDER BY 1`,
  );
  return rows.map(({ day }) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}T00:00:00Z`));
}
