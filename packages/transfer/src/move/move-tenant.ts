import { Problem } from '@callout/domain/problem/problem';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { eraseTenants } from '../erase/erase-tenants.ts';
import { begin, findMove } from './begin.ts';
import { copyAtOnce } from './copy-at-once.ts';
import { freeze, thaw, writersDone } from './freeze.ts';
import { KeyMap } from './key-map.ts';
import type { Move, Zones } from './move-context.ts';
import { findBlockers } from './prepare.ts';
import { copyRound } from './rounds.ts';
import { arriveInZone, dropOpenWork, leaveZone } from './switch-zone.ts';

export interface MoveRules {
  /** The name of the zone that it goes to, in both databases. */
  readonly zoneName: string;
  /** How long changes of the tenant may be refused while work in flight ends. */
  readonly freezeLimitMs: number;
  readonly onStep: (step: string) => void;
  readonly isStopping: () => boolean;
}

export interface MovedTenant {
  readonly sourceTenantId: number;
  readonly targetTenantId: number;
  /** It was served by the other zone before this call. */
  readonly wasMoved: boolean;
  /** How long changes were refused, in ms. */
  readonly frozenMs: number;
}

interface NamedTenant {
  readonly id: number;
  readonly name: string;
}

/** A round of this duration leaves little for the last one, for which the tenant waits. */
const shortRoundMs = 5_000;
const mostRounds = 8;

/**
 * Moves a tenant to another zone, another installation with a database of its own: history and records in rounds while
 * it is served, the rest when nothing changes any more. Every step is noted in both databases and may be repeated: cut
 * short anywhere, the same call goes on there. At no time do both zones serve or deliver. Only one tenant leaves a
 * database at a time.
 * @throws Problems: `invalid` with all that hinders it, and `conflict` when another move is under way.
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
    tenantName: tenant.name,
    sourceTenantId: tenant.id,
    targetTenantId,
    keys: await KeyMap.read(zones.target.pool, id, targetTenantId),
    sourceRing: zones.source.keyRing,
    targetRing: zones.target.keyRing,
    shapes: new Map(),
  };
  if (begun?.hasLeft === true) {
    await arriveInZone(move);
    await dropOpenWork(move);
    return { sourceTenantId: tenant.id, targetTenantId, wasMoved: true, frozenMs: 0 };
  }
  // Redeliveries record the callouts that they reopen as soon as they see the move: those that do not are over before
  // anything is copied.
  const { rows } = await zones.source.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await writersDone(move, rows[0]?.now, Infinity);
  for (let round = 1; (await copyRound(move, false)) > shortRoundMs && round < mostRounds; round += 1);
  const frozenFrom = performance.now();
  try {
    await freeze(move, rules.freezeLimitMs);
    await copyRound(move, true);
    await copyAtOnce(move);
    await leaveZone(move);
  } catch (error) {
    // It may be long until the command is run again. A tenant that has left stays so, also when the response to the
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
 * Undoes a move of a tenant that has not left: it is served where it was, and copied rows are erased.
 * @returns false when there was nothing to undo.
 * @throws a Problem `conflict` when it has left.
 */
export async function abortMove(zones: Zones, tenant: NamedTenant): Promise<boolean> {
  return alone(zones, async () => {
    const begun = await findMove(zones, tenant.id);
    if (begun === undefined) return false;
    if (begun.hasLeft) {
      throw Problem.conflict('The tenant has left: it is served by the other zone. Move it back from there instead');
    }
    // Served first, also when the other database is away: there it arrives only when it has left here.
    await thaw({ source: zones.source, sourceTenantId: tenant.id });
    await zones.target.pool.query(
      `UPDATE tenants SET deleting_at = now() WHERE deleting_at IS NULL AND id = (
         SELECT tenant_id FROM tenant_moves WHERE id = $1 AND direction = 'in')`,
      [begun.id],
    );
    await zones.source.pool.query('DELETE FROM tenant_move_open WHERE move_id = $1', [begun.id]);
    await zones.source.pool.query('DELETE FROM tenant_moves WHERE id = $1', [begun.id]);
    // When a worker is at it already, it does the rest.
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
