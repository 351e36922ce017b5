import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { readNow } from '@callout/database/connection/clock';
import { goOn, inTransactionOf, type Move, moveLost, type Zones } from './move.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

const beginRun = statementFrom('transfer:move/move_begin_run');
const stopTenant = statementFrom('transfer:move/move_stop_tenant');
const beginCopy = statementFrom('transfer:move/move_begin_copy');
const findWriter = statementFrom<{ name: string }>('transfer:move/move_find_writer');
const countWork = statementFrom<Record<'pending' | 'leased' | 'mails', number>>('transfer:move/move_count_work');
const renameLeases = statementFrom('transfer:move/move_rename_leases');
const endRun = statementFrom('transfer:move/move_end_run');
const serveAgain = statementFrom('transfer:move/move_serve_again');
const finishLeaving = statementFrom('transfer:move/move_finish_leaving');
const leave = statementFrom('transfer:move/move_leave');
const addZoneUsers = statementFrom('transfer:move/move_add_zone_users');
const deleteSessions = statementFrom('transfer:move/move_delete_sessions');
const deleteLinks = statementFrom('transfer:move/move_delete_links');
const findLeft = statementFrom('transfer:move/move_find_left');
const arrive = statementFrom('transfer:move/move_arrive');
const removeZoneUsers = statementFrom('transfer:move/move_remove_zone_users');
const finishArriving = statementFrom('transfer:move/move_finish_arriving');

const askAgainMs = 100;

/**
 * Stops everything of a tenant: from now on changes are refused and nothing is claimed. Waits until all that was under
 * way has ended. Afterwards nothing happens to the tenant that anybody outside could know of.
 * @param limitMs the longest wait before the tenant is served again.
 * @throws after the limit; the caller thaws the tenant.
 */
export async function freeze(move: Move, limitMs: number): Promise<void> {
  const { id, run, source, target, sourceTenantId } = move;
  const until = performance.now() + limitMs;
  await inTransactionOf(source.pool, async (client) => {
    if ((await beginRun(client, [id, run])).length !== 1) throw moveLost();
    await stopTenant(client, [sourceTenantId]);
  });
  await beginCopy(target.pool, [id, run]);
  const [clock] = await readNow(source.pool, []);
  await waitUntilNone(move, until, () => writerSince(source.pool, clock?.now));
  await waitUntilNone(move, until, () => underWay(source.pool, sourceTenantId));
  await takeOverLeases(move);
}

async function waitUntilNone(
  move: Pick<Move, 'isStopping' | 'onStep'>,
  until: number,
  find: () => Promise<string | undefined>,
): Promise<void> {
  for (;;) {
    const waitedFor = await find();
    if (waitedFor === undefined) return;
    goOn(move);
    if (performance.now() > until)
      throw new Error(
        `the tenant is served again where it was, since ${waitedFor}: run the same command again later, or with a longer --freeze-limit`,
      );
    move.onStep(`waiting: ${waitedFor}`);
    await sleep(askAgainMs);
  }
}

/**
 * A transaction that began before a moment, when the gate was shut, and may write: only such a transaction can have
 * found the gate open. The transaction has written or locked a row already, or is about to.
 */
async function writerSince(pool: Pool, before: Date | undefined): Promise<string | undefined> {
  const rows = await findWriter(pool, [before]);
  return rows[0] && `a transaction of ${rows[0].name} is open that began before`;
}

/**
 * Describes the work under way; undefined: all work has ended. In one snapshot: a match that ends leaves leases of new
 * callouts.
 */
async function underWay(pool: Pool, tenantId: number): Promise<string | undefined> {
  const rows = await countWork(pool, [tenantId]);
  const { pending = 0, leased = 0, mails = 0 } = rows[0] ?? {};
  if (pending > 0) return `${pending} events are not matched yet`;
  if (leased > 0) return `${leased} callouts are being sent`;
  if (mails > 0) return `${mails} mails are being sent`;
  return undefined;
}

/**
 * Renames the remaining leases: leases of callouts that programs have fetched, and leases that workers have lost. A
 * later result finds no lease and is refused; an acknowledgement that is sent again in the other zone counts.
 */
async function takeOverLeases({ source: { pool }, sourceTenantId }: Move): Promise<void> {
  await renameLeases(pool, [sourceTenantId]);
}

/**
 * Serves a tenant again, unless the tenant has left or another run has taken the move over. Without a run: for any run.
 */
export async function thaw({
  source,
  id,
  sourceTenantId,
  run,
}: Pick<Zones, 'source'> & Pick<Move, 'id' | 'sourceTenantId'> & Partial<Pick<Move, 'run'>>): Promise<void> {
  await inTransactionOf(source.pool, async (client) => {
    if ((await endRun(client, [id, run])).length === 0) return;
    await serveAgain(client, [sourceTenantId]);
  });
}

/**
 * The point of no return: from now on the zone that the tenant leaves responds with the address of the other zone. The
 * old zone serves the tenant no longer, and the new zone does not yet.
 */
export async function leaveZone({ source, sourceTenantId, id, run, zoneName }: Move): Promise<void> {
  await inTransactionOf(source.pool, async (client) => {
    const moves = await finishLeaving(client, [id, run]);
    const tenants = await leave(client, [sourceTenantId, zoneName]);
    if (moves.length !== 1 || tenants.length !== 1) throw moveLost();
    await addZoneUsers(client, [sourceTenantId, zoneName]);
    await deleteSessions(client, [sourceTenantId]);
    await deleteLinks(client, [sourceTenantId]);
  });
}

/** The other zone serves the tenant: workers find open callouts within a second. A repetition changes nothing. */
export async function arriveInZone({ id, source, target, sourceTenantId, targetTenantId }: Move): Promise<void> {
  const rows = await findLeft(source.pool, [sourceTenantId]);
  if (rows.length !== 1) throw new Error('the tenant has not left');
  await inTransactionOf(target.pool, async (client) => {
    if ((await arrive(client, [targetTenantId])).length === 0) return;
    await removeZoneUsers(client, [targetTenantId]);
    await finishArriving(client, [id]);
  });
}

const rowsPerTransaction = 5_000;

/** Work of the other zone is no backlog here, and no alarm. The rest stays until the tenant is erased. */
export async function dropOpenWork({ source, sourceTenantId }: Move): Promise<void> {
  for (const [table, condition] of [
    ['open_callouts', 'webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1))'],
    ['pull_leases', 'tenant_id = $1 AND outcome IS NULL'],
    ['notifications', `tenant_id = $1 AND state = 'waiting'`],
  ] as const) {
    for (let isDone = false; !isDone;) {
      const { rowCount } = await source.pool.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsPerTransaction}))
           AND EXISTS (SELECT FROM tenants WHERE id = $1 AND state = 'left')`,
        [sourceTenantId],
      );
      isDone = rowCount === 0;
    }
  }
}
