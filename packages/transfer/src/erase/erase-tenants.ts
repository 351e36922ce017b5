import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import type { Client } from '@callout/database/connection/database';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { inTransactionOf, type WalkedTable, walkPages } from './walk-pages.ts';
import { bodyTable, historyTables, largeTables, rest, work, type TenantRows } from './tenant-tables.ts';

const deleteTenant = statementFrom('transfer:erase/erase_delete_tenant');
const markErased = statementFrom('transfer:erase/erase_mark_erased');
const lockWebhooks = statementFrom('transfer:erase/erase_lock_webhooks');
const endAllWebhooks = statementFrom('transfer:erase/erase_end_webhooks');
const readDailyTables = statementFrom<{ name: string; parent: string; day: string }>(
  'transfer:erase/erase_read_daily_tables',
);

/** The progress of a marked tenant: all data is erased, the row is deleted too, or the work was interrupted. */
interface ErasedTenant {
  readonly tenantId: number;
  readonly outcome: 'erased' | 'gone' | 'unfinished';
  /** Rows deleted this time. */
  readonly rows: number;
}

interface EraseRules {
  /** Asked between two transactions. */
  readonly isStopping: () => boolean;
  /** Called with a description of the next step. */
  readonly onStep?: (step: string) => void;
}

/** Statements here look for the rows of a tenant, not for rows by their ids. */
const planning = { plan_cache_mode: 'force_custom_plan', enable_bitmapscan: 'on', lock_timeout: '10s' };
const rowsPerTransaction = 2_000;
/** How often locked rows are tried again, and after how long. */
const mostWaits = 100;
const waitMs = 100;

/**
 * How long the row of an erased tenant stays. A request that was authenticated before the mark may be stored after
 * everything was erased, but takes less than ten minutes. Then everything is erased once more, with the row.
 */
const graceMinutes = 10;

const findDeleting = statementFrom<{ id: number; isFinal: boolean }>('transfer:erase/tenants_find_deleting');

/** Whether a tenant is marked and there is something to be done about it. Costs one look into a small index. */
export async function hasTenantsToErase(client: Client): Promise<boolean> {
  return (await findDeleting(client, [graceMinutes])).length > 0;
}

/**
 * Erases all data of the tenants that are marked as being deleted, in transactions of bounded size; interrupted work
 * goes on with the next call. Every row of every table is deleted, history and its detached days included; nothing is
 * sent any more, no deactivation call either.
 * @returns null when another process is erasing.
 */
export function eraseTenants(pool: Pool, rules: EraseRules): Promise<ErasedTenant[] | null> {
  return oneAtATime(pool, { lock: advisoryLocks.eraseTenants, settings: planning }, async (client) => {
    const erased: ErasedTenant[] = [];
    for (const { id, isFinal } of await findDeleting(client, [graceMinutes])) {
      if (rules.isStopping()) break;
      erased.push(await eraseTenant(client, id, isFinal, rules));
    }
    return erased;
  });
}

async function eraseTenant(
  client: PoolClient,
  tenantId: number,
  isFinal: boolean,
  { isStopping, onStep = () => undefined }: EraseRules,
): Promise<ErasedTenant> {
  let rows = 0;
  const byCondition = (step: TenantRows) => ({
    table: step[0],
    erase: () => deleteRows(client, step, tenantId, isStopping),
  });
  const byPages = (table: WalkedTable) => ({
    table: table.name,
    erase: () => walkPages(client, table, tenantId, isStopping),
  });
  await endWebhooks(client, tenantId);
  const walked = [...(await dailyTables(client)), ...largeTables.map((name) => ({ name }))];
  for (const { table, erase } of [...work.map(byCondition), ...walked.map(byPages), ...rest.map(byCondition)]) {
    onStep(table);
    const deleted = await erase();
    if (deleted === null) return { tenantId, outcome: 'unfinished', rows };
    rows += deleted;
  }
  await (isFinal ? deleteTenant(client, [tenantId]) : markErased(client, [tenantId]));
  return { tenantId, outcome: isFinal ? 'gone' : 'erased', rows };
}

/** Locked in order of the key, as everywhere: from then on match and redelivery add nothing. */
async function endWebhooks(client: PoolClient, tenantId: number): Promise<void> {
  await inTransactionOf(client, async () => {
    await lockWebhooks(client, [tenantId]);
    await endAllWebhooks(client, [tenantId]);
  });
}

/**
 * Deletes rows, some thousand in a transaction. Locked rows are skipped and tried again, so the work never waits in
 * another lock order.
 * @returns the number of rows; null when the work had to stop, or rows were locked for too long.
 */
async function deleteRows(
  client: PoolClient,
  [table, condition]: TenantRows,
  tenantId: number,
  isStopping: () => boolean,
): Promise<number | null> {
  const remove = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsPerTransaction} FOR UPDATE SKIP LOCKED))`;
  let deleted = 0;
  for (let waits = 0; ;) {
    if (isStopping()) return null;
    const { rowCount } = await client.query(remove, [tenantId]);
    deleted += rowCount ?? 0;
    if (rowCount !== null && rowCount > 0) continue;
    const { rows } = await client.query<{ some: boolean }>(
      `SELECT EXISTS (SELECT FROM ${table} WHERE ${condition}) AS some`,
      [tenantId],
    );
    if (rows[0]?.some !== true) return deleted;
    if ((waits += 1) > mostWaits) return null;
    await sleep(waitMs);
  }
}

/** By name, not by attachment: days that retention has detached and not dropped yet still exist. */
async function dailyTables(client: PoolClient): Promise<WalkedTable[]> {
  const rows = await readDailyTables(client, []);
  const names = new Set(rows.map(({ name }) => name));
  const isHistory = ({ parent }: { parent: string }) => (historyTables as readonly string[]).includes(parent);
  return rows.filter(isHistory).map(({ name, parent, day }) => {
    const bodies = `${bodyTable}_${day}`;
    if (parent !== 'callouts' || !names.has(bodies)) return { name };
    return {
      name,
      deleteFirst: async (one, ids) => {
        if (ids.length > 0) await one.query(`DELETE FROM "${bodies}" WHERE callout_id = ANY($1::uuid[])`, [ids]);
      },
    };
  });
}
