import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { goOn, inTransactionOf, type Move } from './move-context.ts';

const askAgainMs = 100;

/** Work in flight of a tenant that is leaving took too long to end. */
export class NotQuiet extends Error {
  constructor(waitedFor: string) {
    super(
      `the tenant is served again where it was, since ${waitedFor}: run the same command again later, or with a longer --freeze-limit`,
    );
  }
}

/**
 * Stops everything of a tenant: from now on its changes are refused and nothing of it is claimed. Waits until all that
 * is under way has ended, and then closes it, so that nothing changes any more.
 * @param limitMs for how long it may be neither here nor there before it is served again.
 * @throws NotQuiet after that; the caller thaws it.
 */
export async function freeze(move: Move, limitMs: number): Promise<void> {
  const { pool } = move.source;
  const until = performance.now() + limitMs;
  for (;;) {
    await stop(move, 'leaving', until);
    for (;;) {
      goOn(move);
      const waitedFor = await underWay(pool, move.sourceTenantId);
      if (waitedFor === undefined) break;
      if (performance.now() > until) {
        throw new NotQuiet(waitedFor);
      }
      move.onStep(`waiting: ${waitedFor}`);
      await sleep(askAgainMs);
    }
    // Webhooks that a request has made meanwhile are stopped too. From here on the database refuses changes.
    await stop(move, 'closed', until);
    if ((await underWay(pool, move.sourceTenantId)) === undefined) break;
  }
  await takeOverLeases(move);
  // The result of a worker that has lost its lease would change copied rows.
  await pool.query(
    `UPDATE open_callouts o SET lease_owner = NULL, lease_until = NULL
     WHERE o.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND o.lease_until <= now()
       AND NOT EXISTS (SELECT FROM pull_leases p
         WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL)`,
    [move.sourceTenantId],
  );
}

/**
 * Stops a tenant, and waits for the transactions that began before that and may write. In two transactions: a change of
 * a webhook locks it and then, by the trigger `refuse_while_moving`, the row of the tenant, so that row must not be
 * locked while webhooks are waited for.
 */
async function stop(move: Move, state: 'leaving' | 'closed', until: number): Promise<void> {
  const { source, sourceTenantId } = move;
  await source.pool.query('UPDATE tenants SET move_state = $2 WHERE id = $1', [sourceTenantId, state]);
  await inTransactionOf(source.pool, (client) => markWebhooks(client, sourceTenantId, true));
  const { rows } = await source.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await writersDone(move, rows[0]?.now, until);
}

/**
 * Waits until every transaction has ended that may write and began before a moment.
 * @throws NotQuiet after `until`, in ms of `performance`.
 */
export async function writersDone(move: Move, before: Date | undefined, until: number): Promise<void> {
  for (;;) {
    const writer = await writerSince(move.source.pool, before);
    if (writer === undefined) return;
    goOn(move);
    const waitedFor = `a transaction of ${writer} is open that began before`;
    if (performance.now() > until) throw new NotQuiet(waitedFor);
    move.onStep(`waiting: ${waitedFor}`);
    await sleep(askAgainMs);
  }
}

/** Sessions with a transaction that has written, or a statement that may, since before a moment. */
async function writerSince(pool: Pool, before: Date | undefined): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT coalesce(nullif(application_name, ''), 'a client') || ' (pid ' || pid || ')' AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_type = 'client backend' AND xact_start < $1
       AND (backend_xid IS NOT NULL OR state = 'active' AND query_start < $1 AND application_name <> 'pg_dump') LIMIT 1`,
    [before],
  );
  return rows[0]?.name;
}

/**
 * Gives the leases of callouts that programs have fetched other names: an acknowledgement that read its lease before
 * the tenant was stopped is either stored before this, or finds no lease and is refused. Said again, it counts.
 */
async function takeOverLeases({ source: { pool }, sourceTenantId }: Move): Promise<void> {
  await pool.query(
    `WITH leases AS (
       SELECT o.callout_id, o.lease_owner, gen_random_uuid() AS made FROM open_callouts o
       WHERE o.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND EXISTS (
         SELECT FROM pull_leases p
         WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.lease_owner = o.lease_owner
           AND p.outcome IS NULL)
       ORDER BY o.callout_id FOR NO KEY UPDATE OF o
     ), renamed AS (
       UPDATE open_callouts o SET lease_owner = l.made FROM leases l WHERE o.callout_id = l.callout_id
     )
     UPDATE pull_leases p SET lease_owner = l.made FROM leases l
     WHERE p.tenant_id = $1 AND p.callout_id = l.callout_id AND p.lease_owner = l.lease_owner AND p.outcome IS NULL`,
    [sourceTenantId],
  );
}

/** Describes the work that has not ended yet; undefined: all has. */
async function underWay(pool: Pool, tenantId: number): Promise<string | undefined> {
  const { rows } = await pool.query<Record<'pending' | 'leased' | 'cancelling' | 'mails', number>>(
    `WITH w AS (SELECT array_agg(key) AS keys FROM webhooks WHERE tenant_id = $1)
     SELECT
       (SELECT count(*)::int FROM pending_events WHERE tenant_id = $1) AS pending,
       (SELECT count(*)::int FROM open_callouts o, w WHERE o.webhook_key = ANY(w.keys) AND o.lease_until > now()
          AND NOT EXISTS (SELECT FROM pull_leases p
            WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL)) AS leased,
       (SELECT count(*)::int FROM webhooks WHERE tenant_id = $1 AND is_cancelling) AS cancelling,
       (SELECT count(*)::int FROM notifications WHERE tenant_id = $1 AND lease_until > now()) AS mails`,
    [tenantId],
  );
  const { pending = 0, leased = 0, cancelling = 0, mails = 0 } = rows[0] ?? {};
  if (pending > 0) return `${pending} events are not matched yet`;
  if (leased > 0) return `${leased} callouts are being sent`;
  if (cancelling > 0) return `the callouts of ${cancelling} webhooks are being cancelled`;
  if (mails > 0) return `${mails} mails are being sent`;
  return undefined;
}

/** Serves a tenant again that has not left; does nothing for one that has. In two transactions, as `stop`. */
export async function thaw({
  source: { pool },
  sourceTenantId,
}: Pick<Move, 'source' | 'sourceTenantId'>): Promise<void> {
  await pool.query(`UPDATE tenants SET move_state = NULL WHERE id = $1 AND move_state IN ('leaving', 'closed')`, [
    sourceTenantId,
  ]);
  await inTransactionOf(pool, async (client) => {
    const { rows } = await client.query('SELECT FROM tenants WHERE id = $1 AND move_state IS NULL', [sourceTenantId]);
    if (rows.length > 0) await markWebhooks(client, sourceTenantId, false);
  });
}

/**
 * Says of all webhooks of a tenant whether it is being moved. In order of the key, like everything that locks webhooks.
 */
export async function markWebhooks(client: PoolClient, tenantId: number, isMoving: boolean): Promise<void> {
  await client.query('SELECT FROM webhooks WHERE tenant_id = $1 ORDER BY key FOR NO KEY UPDATE', [tenantId]);
  await client.query('UPDATE webhooks SET is_moving = $2 WHERE tenant_id = $1 AND is_moving <> $2', [
    tenantId,
    isMoving,
  ]);
}
