import { Problem } from '@callout/domain/problem/problem';
import { newId } from '@callout/database/schema/ids';
import { ensureDays } from '@callout/database/schema/partitions';
import { inTransactionOf, type Zones } from './move-context.ts';

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
    `SELECT m.id, m.zone_name AS "zoneName", m.round > 0 AS "isPrepared", m.finished_at IS NOT NULL AS "hasLeft"
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
  const targetTenantId = there?.tenantId ?? (await arriveInZone(zones, id, tenant.name, zoneName));
  await source.pool.query('UPDATE tenant_moves SET round = 1 WHERE id = $1 AND round = 0', [id]);
  await ensureDays(target.pool, await daysOf(source.pool));
  return { id, targetTenantId };
}

function arriveInZone({ target }: Zones, id: string, name: string, zoneName: string): Promise<number> {
  return inTransactionOf(target.pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO tenants (name, zone_id, move_state) SELECT $1, id, 'arriving' FROM zones WHERE name = $2 RETURNING id`,
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
     WHERE c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$' ORDER BY 1`,
  );
  return rows.map(({ day }) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}T00:00:00Z`));
}
