import { markWebhooks } from './freeze.ts';
import { inTransactionOf, type Move } from './move-context.ts';

/**
 * The point of no return: from now on the zone that the tenant leaves responds with the address of the other one. It
 * serves the tenant no longer, and the other one does not yet.
 */
export async function leaveZone({ source, sourceTenantId, id, zoneName }: Move): Promise<void> {
  await inTransactionOf(source.pool, async (client) => {
    await client.query(`SET LOCAL callout.moving = 'on'`);
    await client.query(
      `INSERT INTO zone_users (user_name_folded, zone_id)
       SELECT c.user_name_folded, z.id FROM credentials c, zones z
       WHERE c.tenant_id = $1 AND c.revoked_at IS NULL AND z.name = $2
       ON CONFLICT (user_name_folded) DO UPDATE SET zone_id = excluded.zone_id`,
      [sourceTenantId, zoneName],
    );
    await client.query('DELETE FROM console_sessions WHERE tenant_id = $1', [sourceTenantId]);
    await client.query('DELETE FROM console_links WHERE tenant_id = $1', [sourceTenantId]);
    const { rowCount } = await client.query(
      `UPDATE tenants SET move_state = 'left', zone_id = (SELECT id FROM zones WHERE name = $2)
       WHERE id = $1 AND move_state = 'closed' AND deleting_at IS NULL`,
      [sourceTenantId, zoneName],
    );
    if (rowCount !== 1) throw new Error('the tenant is not closed any more, or it is being deleted');
    await client.query('DELETE FROM tenant_move_open WHERE move_id = $1', [id]);
    await client.query('UPDATE tenant_moves SET finished_at = now() WHERE id = $1', [id]);
  });
}

/** The other zone serves it: its workers find open callouts within a second. Repeating it changes nothing. */
export async function arriveInZone(move: Move): Promise<void> {
  const { id, targetTenantId, source, sourceTenantId } = move;
  const { rows } = await source.pool.query(`SELECT FROM tenants WHERE id = $1 AND move_state = 'left'`, [
    sourceTenantId,
  ]);
  if (rows.length !== 1) throw new Error('the tenant has not left');
  await inTransactionOf(move.target.pool, async (client) => {
    await client.query(`SET LOCAL callout.moving = 'on'`);
    const { rowCount } = await client.query(
      `UPDATE tenants SET move_state = NULL WHERE id = $1 AND move_state = 'arriving' AND deleting_at IS NULL`,
      [targetTenantId],
    );
    if (rowCount === 0) return;
    await client.query(
      `DELETE FROM zone_users WHERE user_name_folded = ANY(ARRAY(
         SELECT user_name_folded FROM credentials WHERE tenant_id = $1))`,
      [targetTenantId],
    );
    await markWebhooks(client, targetTenantId, false);
    await client.query('DELETE FROM tenant_move_keys WHERE move_id = $1', [id]);
    await client.query('DELETE FROM tenant_move_open WHERE move_id = $1', [id]);
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
           AND EXISTS (SELECT FROM tenants WHERE id = $1 AND move_state = 'left')`,
        [sourceTenantId],
      );
      isDone = rowCount === 0;
    }
  }
}
