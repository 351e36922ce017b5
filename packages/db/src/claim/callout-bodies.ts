import type { Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement/statement.ts';
import { boundsOf, lowestIdAt } from '../schema/ids.ts';
import { dayMs } from '../schema/partitions.ts';

const read = statementFrom<{ id: string; body: string }>('claim/delivery_read_bodies');

/** What was sent, or is to be sent, by the id of the callout; those that are not kept any more are not in it. */
export async function readBodies(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await read(client, [ids, ...boundsOf(ids)]);
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/**
 * Between these ids are nearly all callouts that are due: those of yesterday, of today, and of processes whose clocks are
 * ahead. What a statement may have to look into costs it something with every day of history.
 */
export function usualDays(now: Date): [from: string, below: string] {
  const today = Math.floor(now.getTime() / dayMs);
  const idAt = (day: number) => lowestIdAt(new Date(day * dayMs));
  return [idAt(today - 1), idAt(today + 2)];
}

/** The same callouts with the bodies that are still to be read; without those whose bodies are not kept any more. */
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
