import { grouped } from './grouped.ts';
import { eventsOf, type LedgerEntry } from '../traffic/ledger.ts';
import type { Write } from '../traffic/writes.ts';

/** An event as the database has it. */
export interface StoredEvent {
  readonly id: string;
  readonly eventKey: string | null;
  readonly entityType: string;
  readonly recordId: number;
  /** Counts the events of a record from 1: their order. */
  readonly recordVersion: number;
  readonly action: string;
  readonly personId: number;
  /** The value of the marker field right after the event. */
  readonly marker: string | null;
  readonly acceptedAt: Date;
  /** The version of each webhook by which it was judged, by the webhook's name. */
  readonly judgedAt: ReadonlyMap<string, number>;
}

/** An event, and the write that caused it. */
export interface KnownEvent {
  readonly event: StoredEvent;
  readonly write: Write;
}

export interface History {
  /** The events of each record in their order; the key is `entityType/recordId`. */
  readonly byRecord: ReadonlyMap<string, readonly KnownEvent[]>;
  readonly problems: readonly string[];
}

/**
 * Finds for each stored event the write that caused it, and compares the two: every write that got 2xx is there, and
 * nothing that was not sent or that was refused.
 */
export function readHistory(events: readonly StoredEvent[], ledger: readonly LedgerEntry[]): History {
  const problems: string[] = [];
  const entriesByName = grouped(ledger, nameInLedger);
  const eventsByName = grouped(events, nameOfEvent);

  for (const [name, entries] of entriesByName) {
    const bounds = entries.map(eventsOf);
    const least = bounds.reduce((sum, one) => sum + one.least, 0);
    const most = bounds.reduce((sum, one) => sum + one.most, 0);
    const found = eventsByName.get(name)?.length ?? 0;
    const answers = entries.map(({ outcome, sent }) => `${outcome}, sent ${sent} ×`).join('; ');
    if (found < least) problems.push(`${name} (${answers}) became ${found} events, ${least} were answered with 2xx`);
    if (found > most) problems.push(`${name} (${answers}) became ${found} events, ${most} at most could`);
  }

  const byRecord = new Map<string, KnownEvent[]>();
  for (const event of events.toSorted((a, b) => a.recordVersion - b.recordVersion)) {
    const write = entriesByName.get(nameOfEvent(event))?.[0]?.write;
    if (write === undefined) {
      problems.push(`event ${event.id} (${nameOfEvent(event)}) was sent by no client`);
      continue;
    }
    if (write.action !== event.action)
      problems.push(`${write.name} asked for ${write.action}, stored is ${event.action}`);
    const record = `${event.entityType}/${event.recordId}`;
    const known = byRecord.get(record) ?? [];
    known.push({ event, write });
    byRecord.set(record, known);
    if (event.recordVersion !== known.length) {
      problems.push(`${record} has an event of version ${event.recordVersion} where ${known.length} is next`);
    }
  }
  return { byRecord, problems };
}

/** A record write of action Delete leaves no marker: those of one record cannot be distinguished, and need not be. */
function deletionOf(entityType: string, recordId: number | null): string {
  return `deletion of ${entityType}/${recordId}`;
}

function nameInLedger({ write }: LedgerEntry): string {
  const isUnmarked = write.way === 'record' && write.action === 'Delete';
  return isUnmarked ? deletionOf(write.entityType, write.recordId) : write.name;
}

function nameOfEvent({ eventKey, action, entityType, recordId, marker }: StoredEvent): string {
  if (eventKey !== null) return eventKey;
  return action === 'Delete' ? deletionOf(entityType, recordId) : (marker ?? 'without a marker');
}
