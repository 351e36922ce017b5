import { Problem } from '@callout/domain/problem';
import { secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { newId } from '@callout/database/schema/ids';
import { ensureDays } from '@callout/database/schema/partitions';
import { countTakenIds } from './error-log-ids.ts';
import { inTransactionOf, type Zones } from './move.ts';
import { history, setUp } from './moved-tables.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

const readSize = statementFrom<{ bytes: number; rows: number }>('transfer:move/move_read_size');
const findDeleted = statementFrom('transfer:move/move_find_deleted');
const readZone = statementFrom<{ url: string }>('transfer:move/move_read_zone');
const findNamesake = statementFrom('transfer:move/move_find_namesake');
const readUserNames = statementFrom<{ name: string }>('transfer:move/move_read_user_names');
const findUsedNames = statementFrom<{ name: string }>('transfer:move/move_find_used_names');
const readGuids = statementFrom<{ guid: string }>('transfer:move/move_read_guids');
const findWebhooks = statementFrom('transfer:move/move_find_webhooks');
const readMigrations = statementFrom<{ names: string | null }>('transfer:move/move_read_migrations');
const readSecrets = statementFrom<{ guid: string; keyId: string; nonce: Buffer; ciphertext: Buffer }>(
  'transfer:move/move_read_secrets',
);
const readMove = statementFrom<BegunMove>('transfer:move/move_read_last');
const storeLeaving = statementFrom('transfer:move/move_store_leaving');
const readTarget = statementFrom<{ tenantId: number; deletingAt: Date | null }>('transfer:move/move_read_target');
const markPrepared = statementFrom('transfer:move/move_mark_prepared');
const storeTenant = statementFrom<{ id: number }>('transfer:move/move_store_tenant');
const storeArriving = statementFrom('transfer:move/move_store_arriving');
const readDays = statementFrom<{ day: string }>('transfer:move/move_read_days');

/** The data of a move, and its blockers. */
export interface MovePlan {
  readonly tenantId: number;
  readonly tenantName: string;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Of the same rows, by the share of the tenant in each table. */
  readonly bytes: number;
  /** Each in one sentence; empty when the tenant can be moved. */
  readonly hindrances: readonly string[];
  /** Values that change with the move; each in one sentence. */
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
  // After the beginning of a move, rows of the target may be copies of the move.
  const usedIds = isBegun ? 0 : await countTakenIds(source.pool, zones.target.pool, tenant.id);
  const notices = usedIds === 0 ? [] : [`${usedIds} error logs get other ids: theirs are taken where it goes.`];
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
  const rows = await readSize(pool, [table]);
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
  const blockers: string[] = [];
  const [here, there] = await Promise.all([migrationsOf(source.pool), migrationsOf(target.pool)]);
  const deleted = await findDeleted(source.pool, [tenant.id]);
  if (deleted.length > 0) blockers.push('The tenant is being deleted.');
  if (here !== there) blockers.push('The two databases have different migrations: upgrade both zones to one version.');
  for (const [pool, where] of [
    [source.pool, 'that it leaves'],
    [target.pool, 'that it goes to'],
  ] as const) {
    const rows = await readZone(pool, [zoneName]);
    if (rows.length === 0)
      blockers.push(`The database ${where} knows no zone ${zoneName}: callout admin zones create makes it.`);
    else if (rows[0]?.url === '')
      blockers.push(`The zone ${zoneName} has no URL in the database ${where}: callout admin zones set.`);
  }
  const unreadable = await unreadableSecrets({ source, target }, tenant.id);
  if (unreadable > 0) blockers.push(`SECRET_KEYS does not open ${unreadable} of the secrets of the tenant.`);
  if (isBegun) return blockers;
  const namesakes = await findNamesake(target.pool, [tenant.name]);
  if (namesakes.length > 0) blockers.push(`There is a tenant ${tenant.name} already where it goes.`);
  const users = await readUserNames(source.pool, [tenant.id]);
  const usedNames = await findUsedNames(target.pool, [users.map(({ name }) => name)]);
  for (const { name } of usedNames) blockers.push(`The user name ${name} is taken where it goes.`);
  const guids = await readGuids(source.pool, [tenant.id]);
  const webhooks = await findWebhooks(target.pool, [guids.map(({ guid }) => guid)]);
  if (webhooks.length > 0)
    blockers.push('Webhooks of the tenant are there already: is it a copy of the same database?');
  return blockers;
}

async function migrationsOf(pool: Pool): Promise<string> {
  const rows = await readMigrations(pool, []);
  return rows[0]?.names ?? '';
}

async function unreadableSecrets({ source }: Zones, tenantId: number): Promise<number> {
  const rows = await readSecrets(source.pool, [tenantId]);
  return rows.filter(({ guid, ...encrypted }) => {
    try {
      source.keyRing.decrypt(encrypted, secretAad(tenantId, guid));
      return false;
    } catch {
      return true;
    }
  }).length;
}

/** A move, as recorded in the source. */
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
  const rows = await readMove(source.pool, [tenantId]);
  return rows[0];
}

/**
 * Notes a move in both databases, first in the one where the tenant is. From then on the target has a tenant of the
 * same name, which cannot be used yet.
 * @returns its number there.
 * @throws a Problem `conflict` when the move goes on in another database than before.
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
    await storeLeaving(source.pool, [id, tenant.id, zoneName]);
  }
  const [there] = await readTarget(target.pool, [id]);
  if (there !== undefined && there.deletingAt !== null) {
    throw Problem.conflict('This move is being undone: run the command with --abort once more');
  }
  if (there === undefined && begun?.isPrepared === true) {
    throw Problem.conflict(
      `The move of ${tenant.name} to the zone ${begun.zoneName} has begun with another database: name that one, or run the command with --abort`,
    );
  }
  const targetTenantId = there?.tenantId ?? (await makeTenant(zones, id, tenant.name, zoneName));
  await markPrepared(source.pool, [id]);
  await ensureDays(target.pool, await daysOf(source.pool));
  return { id, targetTenantId };
}

function makeTenant({ target }: Zones, id: string, name: string, zoneName: string): Promise<number> {
  return inTransactionOf(target.pool, async (client) => {
    const rows = await storeTenant(client, [name, zoneName]);
    const tenantId = rows[0]?.id;
    if (tenantId === undefined) throw new Error(`there is no zone ${zoneName}`);
    await storeArriving(client, [id, tenantId, zoneName]);
    return tenantId;
  });
}

/** The days with history in a database. */
async function daysOf(pool: Zones['source']['pool']): Promise<Date[]> {
  const rows = await readDays(pool, []);
  return rows.map(({ day }) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}T00:00:00Z`));
}
