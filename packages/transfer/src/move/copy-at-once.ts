import type { PoolClient } from 'pg';
import { withFreeIds, selectText, type TextRow } from './text-rows.ts';
import { goOn, inTarget, inTransactionOf, type Move, shapeOf, storeCopies } from './move-context.ts';
import { conditions, copiedAtOnce, type TenantColumn } from './moved-tables.ts';

const rowsPerBatch = 1_000;

/**
 * Copies everything but history, when nothing changes it any more: in one transaction, replacing the rows of an earlier
 * try.
 */
export async function copyAtOnce(move: Move): Promise<void> {
  await inTransactionOf(move.source.pool, (source) =>
    inTarget(move, async (target) => {
      await source.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // Each of the two waits while the other is busy, and locks rows that nobody else uses now.
      for (const one of [source, target]) await one.query(`SET LOCAL idle_in_transaction_session_timeout = '60s'`);
      for (const [table, by] of copiedAtOnce.toReversed()) {
        await target.query(`DELETE FROM "${table}" AS t WHERE ${conditions[by]}`, [move.targetTenantId]);
      }
      for (const [table, by] of copiedAtOnce) {
        goOn(move);
        const rows = await copyTable(move, source, target, table, by);
        move.onStep(`last: ${table}, ${rows} rows`);
      }
      await copySettings(move, source, target);
    }),
  );
}

async function copyTable(
  move: Move,
  source: PoolClient,
  target: PoolClient,
  table: string,
  by: TenantColumn,
): Promise<number> {
  const shape = await shapeOf(move, table);
  await source.query(`DECLARE moved NO SCROLL CURSOR FOR ${selectText(shape, literal(conditions[by], move))}`);
  let copied = 0;
  for (;;) {
    const { rows } = await source.query<TextRow>(`FETCH ${rowsPerBatch} FROM moved`);
    if (rows.length === 0) break;
    // Failures of a user name that were counted in both zones: those that came with the tenant.
    const made = table === 'webhook_event_error_logs' ? await withFreeIds(target, rows) : rows;
    const written = await storeCopies(move, target, table, made, table === 'sign_in_failures' ? 'update' : 'nothing');
    if (written !== rows.length) {
      throw new Error(`${rows.length - written} rows of ${table} have the key of others where the tenant goes`);
    }
    copied += rows.length;
  }
  await source.query('CLOSE moved');
  return copied;
}

/** A cursor has no parameters. */
function literal(condition: string, { sourceTenantId }: Move): string {
  return condition.replaceAll('$1', String(sourceTenantId));
}

async function copySettings(move: Move, source: PoolClient, target: PoolClient): Promise<void> {
  const { rows } = await source.query<Record<string, unknown>>(
    'SELECT callout_threshold AS a, api_requests_per_hour AS b, created_at AS c FROM tenants WHERE id = $1',
    [move.sourceTenantId],
  );
  const { a, b, c } = rows[0] ?? {};
  await target.query(
    'UPDATE tenants SET callout_threshold = $2, api_requests_per_hour = $3, created_at = $4 WHERE id = $1',
    [move.targetTenantId, a, b, c],
  );
}
