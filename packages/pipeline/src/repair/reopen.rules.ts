import type { NextState } from '@callout/domain/callout/transitions';

/** A record of a webhook with open callouts, all of which this transaction has locked. */
export interface OpenRecord {
  recordId: number;
  /** The lowest number: the callout that is due or held. All others of the record wait. */
  headSequence: number;
  headId: string;
  /** Until when a worker may be sending one of them, rounded up; null when none is being sent. */
  busyUntil: Date | null;
}

/** An ended callout that is to be sent again. */
export interface EndedCallout {
  id: string;
  tenantId: number;
  entityType: string;
  recordId: number;
  action: string;
  sequenceNumber: number;
  /** The eventID as its caller knows it. */
  eventId: string | null;
  /** The `traceparent` of its event; null: it was not traced, or the event is past its retention. */
  traceParent: string | null;
  /** Attempts made so far: their numbers continue. */
  attempts: number;
  /** The size of its body, about. */
  bodyBytes: number;
}

/** An ended callout, and the state in which it is reopened. */
export interface ReopenedCallout extends EndedCallout {
  state: NextState<'failed' | 'cancelled', 'redelivered' | 'redeliveredBehindOpenCallout'>;
  /** The earliest time of its next attempt; null: now. */
  dueAt: Date | null;
}

export interface Reopening {
  reopened: ReopenedCallout[];
  /** Open callouts that were the first of their record, and now wait. */
  overtakenIds: string[];
}

/**
 * Decides how ended callouts of one webhook are reopened. Those of a record are sent in the order of their numbers,
 * before any later one that is still open: the lowest number of all is due and the others wait. A later one that is
 * being sent at this moment may finish; since it may end or be retried, the first of its record is due when its
 * lease is over. `open`: every record of these callouts that has open ones.
 */
export function reopen(ended: readonly EndedCallout[], open: readonly OpenRecord[]): Reopening {
  const openRecords = new Map(open.map((record) => [record.recordId, record]));
  const firsts = new Map<number, EndedCallout>();
  for (const callout of ended) {
    const first = firsts.get(callout.recordId);
    if (first === undefined || callout.sequenceNumber < first.sequenceNumber) firsts.set(callout.recordId, callout);
  }
  const isHead = ({ recordId, sequenceNumber }: EndedCallout): boolean =>
    sequenceNumber < (openRecords.get(recordId)?.headSequence ?? Infinity);
  const heads = new Set([...firsts.values()].filter(isHead));
  return {
    reopened: ended.map((callout) =>
      heads.has(callout)
        ? { ...callout, state: 'due', dueAt: openRecords.get(callout.recordId)?.busyUntil ?? null }
        : { ...callout, state: 'waiting', dueAt: null },
    ),
    overtakenIds: [...heads].flatMap(({ recordId }) => openRecords.get(recordId)?.headId ?? []),
  };
}
