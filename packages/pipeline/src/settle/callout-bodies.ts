import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { boundsOf, lowestIdAt } from '@callout/database/schema/ids';
import { dayMs } from '@callout/database/schema/partitions';

const read = statementFrom<{ id: string; body: string }>('deliver/delivery_read_bodies');

/** The bodies of callouts by their ids; bodies that are no longer stored are absent. */
export async function readBodies(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await read(client, [ids, ...boundsOf(ids)]);
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/**
 * Nearly all due callouts are between these ids: those of yesterday, of today, and of processes whose clocks are
 * ahead. Each further day of history costs a statement time.
 */
export function usualDays(now: Date): [from: string, below: string] {
  const today = Math.floor(now.getTime() / dayMs);
  const idAt = (day: number) => lowestIdAt(new Date(day * dayMs));
  return [idAt(today - 1), idAt(today + 2)];
}

/** The same callouts with the missing bodies read; without callouts whose bodies are no longer stored. */
export async function withBodies<Row extends { readonly id: string; readonly body: string | null }>(
  client: Client,
  rows: readonly Row[],
): Promise<(Row & { readonly body: string })[]> {
  const others = await readBodies(
    client,
    rows.flatMap(({ id, body }) => (body === null ? [id] : [])),
  );
  return rows.flatMap((row) => {
    const body = row.body ?? others.get(row.id);
    return body === undefined ? [] : [{ ...row, body }];
  });
}
