import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@callout/db';
import { markerField } from './entities.ts';
import type { StoredEvent } from './history.ts';

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * Waits until nothing is owed any more: no event pending, no callout open.
 * @returns what is still owed when patience ends, in words; nothing when all is done.
 */
export async function whenSettled({ prisma }: Pick<Database, 'prisma'>): Promise<string[]> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(LOOK_EVERY_MS)) {
    const pending = await prisma.pendingEvent.count();
    const open = await prisma.openCallout.groupBy({ by: ['state'], _count: true });
    if (pending === 0 && open.length === 0) return [];
    if (Date.now() > deadline) {
      const callouts = open.map(({ state, _count: count }) => `${count} callouts ${state}`);
      return [`after ${PATIENCE_MS} ms there are still ${[`${pending} events pending`, ...callouts].join(', ')}`];
    }
  }
}

/** What the database has of a drill. */
export interface StoredHistory {
  readonly events: StoredEvent[];
  /** What its tables say that cannot be, in words. */
  readonly problems: string[];
}

/** Reads the events, and checks that each was matched once and that every callout ended well. */
export async function readStoredHistory({ prisma }: Pick<Database, 'prisma'>): Promise<StoredHistory> {
  const rows = await prisma.event.findMany();
  const matched = await prisma.eventMatch.findMany({ select: { eventId: true } });
  const failed = await prisma.callout.count({ where: { state: { not: 'delivered' } } });
  const problems: string[] = [];
  const matchedIds = new Set(matched.map(({ eventId }) => eventId));
  if (matchedIds.size !== matched.length)
    problems.push(`${matched.length - matchedIds.size} events were matched twice`);
  const unmatched = rows.filter(({ id }) => !matchedIds.has(id));
  if (unmatched.length > 0) problems.push(`${unmatched.length} events have no verdicts`);
  if (failed > 0) problems.push(`${failed} callouts did not end as delivered`);
  const events = rows.map((row) => {
    const fields = row.fields as Record<string, string | null>;
    return {
      ...row,
      recordId: Number(row.recordId),
      recordVersion: Number(row.recordVersion),
      marker: fields[markerField] ?? null,
    };
  });
  return { events, problems };
}
