import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { goOn, inTransactionOf, type Move, moveLost, type Zones } from './move.ts';

const askAgainMs = 100;

/**
 * Stops everything of a tenant: from now on its changes are refused and nothing of it is claimed. Waits until all that
 * was under way has ended. From then on nothing happens to it that anybody outside could know of.
 * @param limitMs for how long that may take before it is served again.
 * @throws after that; the caller thaws it.
 */
export async function freeze(move: Move, limitMs: number): Promise<void> {
  const { id, run, source, target, sourceTenantId } = move;
  const until = performance.now() + limitMs;
  await inTransactionOf(source.pool, async (client) => {
    const { rowCount } = await client.query('UPDATE tenant_moves SET run = $2 WHERE id = $1 AND finished_at IS NULL', [
      id,
      run,
    ]);
    if (rowCount !== 1) throw moveLost();
    await client.query(`UPDATE tenants SET state = 'moving' WHERE id = $1 AND state = 'active'`, [sourceTenantId]);
  });
  await target.pool.query('UPDATE tenant_moves SET run = $2, copied = 0 WHERE id = $1', [id, run]);
  const { rows } = await source.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await waitUntilNone(move, until, () => writerSince(source.pool, rows[0]?.now));
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
 * A transaction that began before a moment, when the gate was shut, and may write: only such a one can have found it
 * open. It has written or locked a row already, or runs the statement that will.
 */
async function writerSince(pool: Pool, before: Date | undefined): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT coalesce(nullif(application_name, ''), 'a client') || ' (pid ' || pid || ')' AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend' AND xact_start < $1
       AND (backend_xid IS NOT NULL OR state = 'active' AND query_start < $1 AND application_name <> 'pg_dump') LIMIT 1`,
    [before],
  );
  return rows[0] && `a transaction of ${rows[0].name} is open that began before`;
}

/**
 * Describes the work that has not ended yet; undefined: all has. In one snapshot: a match that ends leaves the leases
 * of what it has made.
 */
async function underWay(pool: Pool, tenantId: number): Promise<string | undefined> {
  const { rows } = await pool.query<Record<'pending' | 'leased' | 'mails', number>>(
    `SELECT
       (SELECT count(*)::int FROM pending_events WHERE tenant_id = $1) AS pending,
       (SELECT count(*)::int FROM open_callouts o
        WHERE o.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND o.lease_until > now()
          AND NOT EXISTS (SELECT FROM pull_leases p
            WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL)) AS leased,
       (SELECT count(*)::int FROM notifications WHERE tenant_id = $1 AND lease_until > now()) AS mails`,
    [tenantId],
  );
  const { pending = 0, leased = 0, mails = 0 } = rows[0] ?? {};
  if (pending > 0) return `${pending} events are not matched yet`;
  if (leased > 0) return `${leased} callouts are being sent`;
  if (mails > 0) return `${mails} mails are being sent`;
  return undefined;
}

/**
 * Gives the leases that are left other names: those of callouts that programs have fetched, and those of workers that
 * have lost them. A result that comes after this finds no lease and is refused; an acknowledgement that is sent again
 * in the other zone counts.
 */
async function takeOverLeases({ source: { pool }, sourceTenantId }: Move): Promise<void> {
  await pool.query(
    `WITH leases AS (
       SELECT callout_id, lease_owner, gen_random_uuid() AS made FROM open_callouts
       WHERE webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND lease_owner IS NOT NULL
       ORDER BY callout_id FOR NO KEY UPDATE
     ), renamed AS (
       UPDATE open_callouts o SET lease_owner = l.made FROM leases l WHERE o.callout_id = l.callout_id
     )
     UPDATE pull_leases p SET lease_owner = l.made FROM leases l
     WHERE p.tenant_id = $1 AND p.callout_id = l.callout_id AND p.lease_owner = l.lease_owner AND p.outcome IS NULL`,
    [sourceTenantId],
  );
}

/**
 * Serves a tenant again that has not left, unless another run has taken the move over; does nothing for one that has
 * left. Without a run: whatever run has it.
 */
export async function thaw({
  source,
  id,
  sourceTenantId,
  run,
}: Pick<Zones, 'source'> & Pick<Move, 'id' | 'sourceTenantId'> & Partial<Pick<Move, 'run'>>): Promise<void> {
  await inTransactionOf(source.pool, async (client) => {
    const { rowCount } = await client.query(
      'UPDATE tenant_moves SET run = NULL WHERE id = $1 AND ($2::uuid IS NULL OR run = $2)',
      [id, run],
    );
    if (rowCount === 0) return;
    await client.query(`UPDATE tenants SET state = 'active' WHERE id = $1 AND state = 'moving'`, [sourceTenantId]);
  });
}

/**
 * The point of no return: from now on the zone that the tenant leaves responds with the address of the other one. It
 * serves the tenant no longer, and the other one does not yet.
 */
export async function leaveZone({ source, sourceTenantId, id, run, zoneName }: Move): Promise<void> {
  await inTransactionOf(source.pool, async (client) => {
    const moves = await client.query('UPDATE tenant_moves SET finished_at = now() WHERE (id, run) = ($1, $2)', [
      id,
      run,
    ]);
    const tenants = await client.query(
      `UPDATE tenants SET state = 'left', zone_id = (SELECT id FROM zones WHERE name = $2)
       WHERE id = $1 AND state = 'moving' AND deleting_at IS NULL`,
      [sourceTenantId, zoneName],
    );
    if (moves.rowCount !== 1 || tenants.rowCount !== 1) throw moveLost();
    await client.query(
      `INSERT INTO zone_users (user_name_folded, zone_id)
       SELECT c.user_name_folded, z.id FROM credentials c, zones z
       WHERE c.tenant_id = $1 AND c.revoked_at IS NULL AND z.name = $2
       ON CONFLICT (user_name_folded) DO UPDATE SET zone_id = excluded.zone_id`,
      [sourceTenantId, zoneName],
    );
    await client.query('DELETE FROM console_sessions WHERE tenant_id = $1', [sourceTenantId]);
    await client.query('DELETE FROM console_links WHERE tenant_id = $1', [sourceTenantId]);
  });
}

/** The other zone serves it: its workers find open callouts within a second. Repeating it changes nothing. */
export async function arriveInZone({ id, source, target, sourceTenantId, targetTenantId }: Move): Promise<void> {
  const { rows } = await source.pool.query(`SELECT FROM tenants WHERE id = $1 AND state = 'left'`, [sourceTenantId]);
  if (rows.length !== 1) throw new Error('the tenant has not left');
  await inTransactionOf(target.pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE tenants SET state = 'active' WHERE id = $1 AND state = 'arriving' AND deleting_at IS NULL`,
      [targetTenantId],
    );
    if (rowCount === 0) return;
    await client.query(
      `DELETE FROM zone_users WHERE user_name_folded = ANY(ARRAY(
         SELECT user_name_folded FROM credentials WHERE tenant_id = $1))`,
      [targetTenantId],
    );
    await client.query('UPDATE tenant_moves SET finished_at = coalesce(finished_at, now()) WHERE id = $1', [id]);
  });
}

const rowsPerTransaction = 5_000;

/**
 * Work that the other zone has taken over is no backlog here, and no alarm. The rest stays until the tenant is erased.
 */
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
