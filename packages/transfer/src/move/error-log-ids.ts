import type { Client } from '@callout/database/connection/database';
import type { Pool } from 'pg';
import type { TextRow } from './move.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

const readUsedIds = statementFrom<{ id: string }>('transfer:move/move_read_used_error_log_ids');
const readOwnIds = statementFrom<{ id: string }>('transfer:move/move_read_error_log_ids');

/**
 * The error logs with ids that no row of the target has. Ids come from the time and a number of the installation, so
 * two zones may have assigned the same id: then the next free id is used, and the order of the rows stays.
 */
export async function withFreeIds(target: Client, rows: readonly TextRow[]): Promise<readonly TextRow[]> {
  let freeRows = rows;
  for (;;) {
    const usedIds = await takenIds(
      target,
      freeRows.map(({ id }) => id ?? ''),
    );
    if (usedIds.size === 0) return freeRows;
    const used = new Set([...freeRows.map(({ id }) => id ?? ''), ...usedIds]);
    freeRows = freeRows.map((row) =>
      usedIds.has(row['id'] ?? '') ? { ...row, id: nextFree(row['id'] ?? '', used) } : row,
    );
  }
}

function nextFree(id: string, used: Set<string>): string {
  let next = id;
  while (used.has(next)) next = String(BigInt(next) + 1n);
  used.add(next);
  return next;
}

async function takenIds(target: Client, ids: readonly string[]): Promise<Set<string>> {
  const rows = await readUsedIds(target, [ids]);
  return new Set(rows.map(({ id }) => id));
}

const idsPerRead = 5_000;

/** The number of a tenant's error logs with ids that are used in the target. */
export async function countTakenIds(source: Pool, target: Pool, tenantId: number): Promise<number> {
  let count = 0;
  for (let after = '-1'; ;) {
    const rows = await readOwnIds(source, [tenantId, after, idsPerRead]);
    const last = rows.at(-1);
    if (last === undefined) return count;
    const usedIds = await takenIds(
      target,
      rows.map(({ id }) => id),
    );
    count += usedIds.size;
    after = last.id;
  }
}
