import { Problem } from '@callout/domain/problem';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { eraseTenants } from '../erase/erase-tenants.ts';
import { newId } from '@callout/database/schema/ids';
import { copyTenant } from './copy.ts';
import { arriveInZone, dropOpenWork, freeze, leaveZone, thaw } from './gate.ts';
import type { Move, Zones } from './move.ts';
import { begin, findBlockers, findMove } from './prepare.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

const eraseCopy = statementFrom('transfer:move/move_erase_copy');
const deleteMove = statementFrom('transfer:move/move_delete');

export interface MoveRules {
  /** The name of the zone where the tenant goes, in both databases. */
  readonly zoneName: string;
  /** How long changes of the tenant may be refused while work in flight ends. */
  readonly freezeLimitMs: number;
  readonly onStep: (step: string) => void;
  readonly isStopping: () => boolean;
}

export interface MovedTenant {
  readonly sourceTenantId: number;
  readonly targetTenantId: number;
  /** The other zone served the tenant before the call. */
  readonly wasMoved: boolean;
  /** How long changes were refused, in ms. */
  readonly frozenMs: number;
}

interface NamedTenant {
  readonly id: number;
  readonly name: string;
}

/**
 * Moves a tenant to another zone, an installation with a separate database: changes are refused, everything is copied,
 * and the other zone begins. Cut short anywhere before the other zone begins, the same call copies again; later, the
 * call ends the rest of the work. At no time do both zones serve or deliver. Only one tenant leaves a database at a
 * time.
 * @throws Problems: `invalid` with everything that hinders the move, and `conflict` when another move is under way.
 */
export async function moveTenant(zones: Zones, tenant: NamedTenant, rules: MoveRules): Promise<MovedTenant> {
  return alone(zones, () => moveOne(zones, tenant, rules));
}

async function moveOne(zones: Zones, tenant: NamedTenant, rules: MoveRules): Promise<MovedTenant> {
  const begun = await findMove(zones, tenant.id);
  const zoneName = begun?.zoneName ?? rules.zoneName;
  if (zoneName !== rules.zoneName) {
    throw Problem.conflict(`The tenant is on its way to the zone ${zoneName}: name that one, or use --abort`);
  }
  if (begun?.hasLeft !== true) {
    const hindrances = await findBlockers(zones, tenant, zoneName, begun !== undefined);
    if (hindrances.length > 0) {
      throw Problem.invalid(hindrances.map((message) => ({ code: 'invalid', message })));
    }
  }
  const { id, targetTenantId } = await begin(zones, tenant, zoneName, begun);
  const move: Move = {
    ...zones,
    ...rules,
    id,
    zoneName,
    run: newId(),
    sourceTenantId: tenant.id,
    targetTenantId,
  };
  if (begun?.hasLeft === true) {
    await arriveInZone(move);
    await dropOpenWork(move);
    return { sourceTenantId: tenant.id, targetTenantId, wasMoved: true, frozenMs: 0 };
  }
  const frozenFrom = performance.now();
  try {
    await freeze(move, rules.freezeLimitMs);
    await copyTenant(move);
    await leaveZone(move);
  } catch (error) {
    // It may be long until the command is run again. A tenant that has left stays away, also when the response to the
    // commit got lost.
    await thaw(move).catch(() => undefined);
    throw error;
  }
  await arriveInZone(move);
  const frozenMs = Math.round(performance.now() - frozenFrom);
  await dropOpenWork(move);
  return { sourceTenantId: tenant.id, targetTenantId, wasMoved: false, frozenMs };
}

/**
 * Undoes a move of a tenant that has not left: the old zone serves the tenant, and copied rows are erased.
 * @returns false when there was nothing to undo.
 * @throws a Problem `conflict` when the tenant has left.
 */
export async function abortMove(zones: Zones, tenant: NamedTenant): Promise<boolean> {
  return alone(zones, async () => {
    const begun = await findMove(zones, tenant.id);
    if (begun === undefined) return false;
    if (begun.hasLeft) {
      throw Problem.conflict('The tenant has left: it is served by the other zone. Move it back from there instead');
    }
    // Served first, also when the other database is away: the tenant only arrives there after leaving here.
    await thaw({ source: zones.source, sourceTenantId: tenant.id, id: begun.id });
    await eraseCopy(zones.target.pool, [begun.id]);
    await deleteMove(zones.source.pool, [begun.id]);
    // A worker that is erasing already does the rest.
    await eraseTenants(zones.target.pool, { isStopping: () => false });
    return true;
  });
}

async function alone<T>({ source }: Zones, work: () => Promise<T>): Promise<T> {
  const done = await oneAtATime(source.pool, { lock: advisoryLocks.moveTenant, settings: {} }, async () => ({
    result: await work(),
  }));
  if (done === null) throw Problem.conflict('A tenant of this database is being moved by another command');
  return done.result;
}
