import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@callout/database/connection/database';
import { markerField } from '../traffic/entities.ts';
import type { StoredEvent } from './history.ts';

/**
 * An outage of ten requests takes ten minutes where failures before it have made pauses a minute long, and one call at a
 * time to a slow receiver takes as long for a thousand callouts.
 */
const PATIENCE_MS = 900_000;
const LOOK_EVERY_MS = 100;

/**
 * Waits until no work is open: no event pending, no callout open. @returns a description of the work that is left after
 * the time; nothing when all is done.
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

/** A callout that was cancelled, since its webhook was deactivated. */
export interface CancelledCallout {
  /** The name of its webhook. */
  readonly webhook: string;
  /** As `X-Hook-Event-Id` names it. */
  readonly eventId: string;
  readonly sequenceNumber: number;
}

/** A callout whose change another one carries, or of which nothing was left. */
export interface MergedCallout extends CancelledCallout {
  /** The id of the one that carries it; its own, if it is the one of which nothing was left. */
  readonly carrierId: string;
  /** How that one ended. `undone`: the changes undid each other, and nothing was sent. */
  readonly end: 'carried' | 'undone' | 'cancelled';
}

/** The rows of a drill in the database. */
export interface StoredHistory {
  readonly events: StoredEvent[];
  readonly cancelled: CancelledCallout[];
  readonly merged: MergedCallout[];
  /** The contradictions in its tables, a sentence each. */
  readonly problems: string[];
}

/** Reads events with their verdicts and the callouts that were cancelled, and checks that all others were delivered. */
export async function readStoredHistory({ prisma }: Pick<Database, 'prisma'>): Promise<StoredHistory> {
  const rows = await prisma.event.findMany();
  const matched = await prisma.eventMatch.findMany();
  const webhooks = new Map((await prisma.webhook.findMany()).map(({ key, name }) => [Number(key), name]));
  const undelivered = await prisma.callout.findMany({ where: { state: { not: 'delivered' } } });
  const problems: string[] = [];
  const verdicts = new Map(matched.map((match) => [match.eventId, versionsIn(match.verdicts, webhooks)]));
  if (verdicts.size !== matched.length) problems.push(`${matched.length - verdicts.size} events were matched twice`);
  const unmatched = rows.filter(({ id }) => !verdicts.has(id));
  if (unmatched.length > 0) problems.push(`${unmatched.length} events have no verdicts`);
  const events = rows.map((row) => {
    const fields = row.fields as Record<string, string | null>;
    return {
      ...row,
      recordId: Number(row.recordId),
      recordVersion: Number(row.recordVersion),
      marker: fields[markerField] ?? null,
      judgedAt: verdicts.get(row.id) ?? new Map(),
    };
  });
  const eventIds = new Map(events.map(({ id, eventKey }) => [id, eventKey ?? id]));
  const states = new Map(undelivered.map(({ id, state }) => [id, state]));
  const cancelled: CancelledCallout[] = [];
  const merged: MergedCallout[] = [];
  for (const callout of undelivered) {
    const webhook = webhooks.get(Number(callout.webhookKey)) ?? 'an unknown webhook';
    const { id, kind, state, mergedInto } = callout;
    const eventId = eventIds.get(callout.eventId ?? '') ?? '';
    const one = { webhook, eventId, sequenceNumber: Number(callout.sequenceNumber) };
    const carrierId = mergedInto ?? id;
    if (state === 'merged') merged.push({ ...one, carrierId, end: endOf(states.get(carrierId)) });
    else cancelled.push(one);
    if (kind !== 'event' || (state !== 'cancelled' && state !== 'merged')) {
      problems.push(`${webhook}: a callout (${kind}) ended as ${state}`);
    }
  }
  return { events, cancelled, merged, problems };
}

/** @param state of a carrier; undefined: it was delivered. */
function endOf(state: string | undefined): MergedCallout['end'] {
  if (state === 'cancelled') return state;
  return state === 'merged' ? 'undone' : 'carried';
}

/** `{rule: [[webhookKey, version, …], …]}` as the version of each webhook, by its name. */
function versionsIn(verdicts: unknown, webhooks: ReadonlyMap<number, string>): Map<string, number> {
  const entries = Object.values(verdicts as Record<string, [number, number][]>).flat();
  return new Map(entries.map(([key, version]) => [webhooks.get(key) ?? '', version]));
}
