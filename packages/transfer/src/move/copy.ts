import type { PoolClient } from 'pg';
import type { Client } from '@callout/database/connection/database';
import { withFreeIds } from './error-log-ids.ts';
import { goOn, inTransactionOf, type Move, moveLost, type TextRow } from './move.ts';
import { history, setUp, type MovedTable } from './moved-tables.ts';
import { assignKeys, rewrite, type Rewriting } from './rewrite.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

const noteCopied = statementFrom('transfer:move/move_note_copied');
const readSettings = statementFrom<Record<string, unknown>>('transfer:move/move_read_settings');
const writeSettings = statementFrom('transfer:move/move_write_settings');
const readColumns = statementFrom<{ name: string; type: string; isKey: boolean }>('transfer:move/move_read_columns');

const rowsPerBatch = 500;

/** A table as the catalogue has it. */
interface TableShape {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly primaryKey: readonly string[];
}

/**
 * Copies everything of a tenant, which nobody changes any more, in one snapshot of the source. Sweeps go on meanwhile:
 * their work is not copied, and is done again where the tenant goes.
 * @throws Error when another command has taken over the move, or when stored rows are missing.
 */
export async function copyTenant(move: Move): Promise<void> {
  await inTransactionOf(move.source.pool, async (source) => {
    await source.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // Each side waits while the other side is busy, and nobody waits for either. A cursor is read to its end.
    await source.query(`SET LOCAL idle_in_transaction_session_timeout = '60s'; SET LOCAL cursor_tuple_fraction = 1`);
    const rewriting = { ...move, keys: await assignKeys(source, move) };
    let copied = 0;
    for (const one of history) {
      await eachBatch(move, source, one, async (shape, rows) => {
        await inTarget(move, copied, rows.length, (target) => store(target, shape, rows, rewriting, 'replacing'));
        copied += rows.length;
      });
    }
    await inTarget(move, copied, 0, async (target) => {
      await target.query(`SET LOCAL idle_in_transaction_session_timeout = '60s'`);
      for (const [table, condition] of setUp.toReversed()) {
        await target.query(`DELETE FROM "${table}" AS t WHERE ${condition}`, [move.targetTenantId]);
      }
      for (const one of setUp) {
        await eachBatch(move, source, one, async (shape, rows) => {
          const freeRows = shape.table === 'webhook_event_error_logs' ? await withFreeIds(target, rows) : rows;
          // Failures of a user name that both zones have counted: the count of the tenant wins.
          await store(target, shape, freeRows, rewriting, shape.table === 'sign_in_failures' ? 'replacing' : 'new');
        });
      }
      await copySettings(move, source, target);
    });
  });
}

/** Reads the rows of a table in batches, each while the one before is stored. */
async function eachBatch(
  { sourceTenantId, isStopping, onStep }: Move,
  source: PoolClient,
  [table, condition]: MovedTable,
  storeBatch: (shape: TableShape, rows: readonly TextRow[]) => Promise<void>,
): Promise<void> {
  const shape = await readShape(source, table);
  // A cursor has no parameters.
  const select = selectText(shape, condition.replaceAll('$1', String(sourceTenantId)));
  await source.query(`DECLARE moved NO SCROLL CURSOR FOR ${select}`);
  const fetch = async () => (await source.query<TextRow>(`FETCH ${rowsPerBatch} FROM moved`)).rows;
  let copied = 0;
  for (let rows = await fetch(); rows.length > 0;) {
    goOn({ isStopping });
    const [next] = await Promise.all([fetch(), storeBatch(shape, rows)]);
    copied += rows.length;
    onStep(`copying: ${table}, ${copied} rows`);
    rows = next;
  }
  await source.query('CLOSE moved');
}

/**
 * Runs work in a transaction of the target, as long as the tenant is arriving there, the run has the move, and all rows
 * of the run are there, which they may not be after a failover.
 */
async function inTarget<T>(
  { id, run, target, targetTenantId }: Move,
  copied: number,
  rows: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return inTransactionOf(target.pool, async (client) => {
    if ((await noteCopied(client, [targetTenantId, rows, id, run, copied])).length !== 1) throw moveLost();
    return work(client);
  });
}

/**
 * Stores rows of the source in the target. `replacing`: also over rows of an earlier run.
 * @throws Error when another tenant has the same key.
 */
async function store(
  target: PoolClient,
  { table, columns, primaryKey }: TableShape,
  rows: readonly TextRow[],
  rewriting: Rewriting,
  over: 'replacing' | 'new',
): Promise<void> {
  const targetRows = rows.map((row) => rewrite(table, row, rewriting));
  const names = columns.map(({ name }) => `"${name}"`);
  const valueColumns = columns.filter(({ name }) => !primaryKey.includes(name)).map(({ name }) => `"${name}"`);
  const ofSameTenant = names.includes('"tenant_id"') ? 'WHERE t.tenant_id = excluded.tenant_id' : '';
  const conflict =
    over === 'new'
      ? ''
      : `ON CONFLICT (${primaryKey.map((name) => `"${name}"`).join(', ')}) DO UPDATE
         SET ${valueColumns.map((name) => `${name} = excluded.${name}`).join(', ')} ${ofSameTenant}`;
  const { rowCount } = await target.query(
    `INSERT INTO "${table}" AS t (${names.join(', ')})
     SELECT ${columns.map(({ name, type }) => `u."${name}"::${type}`).join(', ')}
     FROM unnest(${columns.map((_, at) => `$${at + 1}::text[]`).join(', ')}) AS u (${names.join(', ')}) ${conflict}`,
    columns.map(({ name }) => targetRows.map((row) => row[name] ?? null)),
  );
  const missing = rows.length - (rowCount ?? 0);
  if (missing > 0) throw new Error(`${missing} rows of ${table} have the key of others where the tenant goes`);
}

async function copySettings({ sourceTenantId, targetTenantId }: Move, source: PoolClient, target: PoolClient) {
  const rows = await readSettings(source, [sourceTenantId]);
  const { a, b, c } = rows[0] ?? {};
  await writeSettings(target, [targetTenantId, a, b, c]);
}

/** Reads the rows of a tenant. */
export async function readRows(client: Client, [table, condition]: MovedTable, tenantId: number): Promise<TextRow[]> {
  const { rows } = await client.query<TextRow>(selectText(await readShape(client, table), condition), [tenantId]);
  return rows;
}

function selectText({ table, columns }: TableShape, condition: string): string {
  return `SELECT ${columns.map(({ name }) => `t."${name}"::text`).join(', ')} FROM "${table}" AS t WHERE ${condition}`;
}

async function readShape(client: Client, table: string): Promise<TableShape> {
  const columns = await readColumns(client, [table]);
  if (columns.length === 0) throw new Error(`there is no table ${table}`);
  return { table, columns, primaryKey: columns.filter(({ isKey }) => isKey).map(({ name }) => name) };
}
