import type { ReadCallout } from './read-request.ts';

/** One request of a callout, as it came in. */
export interface Arrival extends ReadCallout {
  readonly atMs: number;
  /** Whether it is answered with a 2xx; a callout that is refused comes again. */
  readonly isTaken: boolean;
}

/** What a receiver saw of one phase. */
export interface Arrivals {
  /** HTTP requests. */
  readonly requests: number;
  /** Different pairs of webhook and event that were taken. */
  readonly delivered: number;
  /** Requests of callouts that had been taken before. */
  readonly duplicates: number;
  /** Callouts that nothing owes: of an unknown event or webhook, or a second one for the same event. */
  readonly unowed: number;
  /** Callouts of a record that came after a later one of the same webhook and record. */
  readonly outOfOrder: number;
  readonly bodyBytes: number;
  readonly lastTakenAtMs: number;
  /** By `webhook * events + event`: when the first request arrived; 0 when none did. */
  readonly firstArrivedAtMs: Float64Array;
}

export interface Ledger {
  note(arrival: Arrival, bodyBytes: number): void;
  noteUnowed(): void;
  arrivals(): Arrivals;
}

/** Keeps the books of one phase: what came, what came twice, what came in the wrong order. */
export function createLedger({ webhooks, events }: { webhooks: number; events: number }): Ledger {
  const firstArrivedAtMs = new Float64Array(webhooks * events);
  const takenCallouts: (string | undefined)[] = Array.from({ length: webhooks * events });
  const lastSequenceNumbers = new Map<string, number>();
  const noCounts = { requests: 0, delivered: 0, duplicates: 0, unowed: 0, outOfOrder: 0 };
  const counts = { ...noCounts, bodyBytes: 0, lastTakenAtMs: 0 };

  function take({ webhook, calloutId, recordId, sequenceNumber, atMs }: Arrival, pair: number): void {
    const taken = takenCallouts[pair];
    if (taken !== undefined) {
      counts[taken === calloutId ? 'duplicates' : 'unowed'] += 1;
      return;
    }
    takenCallouts[pair] = calloutId;
    counts.delivered += 1;
    counts.lastTakenAtMs = atMs;
    const record = `${webhook}/${recordId}`;
    if (sequenceNumber < (lastSequenceNumbers.get(record) ?? 0)) counts.outOfOrder += 1;
    else lastSequenceNumbers.set(record, sequenceNumber);
  }

  return {
    note(arrival, bytes) {
      counts.requests += 1;
      counts.bodyBytes += bytes;
      const { webhook, event } = arrival;
      if (webhook >= webhooks || event >= events) {
        counts.unowed += 1;
        return;
      }
      const pair = webhook * events + event;
      if (firstArrivedAtMs[pair] === 0) firstArrivedAtMs[pair] = arrival.atMs;
      if (arrival.isTaken) take(arrival, pair);
    },
    noteUnowed() {
      counts.requests += 1;
      counts.unowed += 1;
    },
    arrivals: () => ({ ...counts, firstArrivedAtMs }),
  };
}
