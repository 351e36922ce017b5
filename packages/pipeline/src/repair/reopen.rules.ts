import type { NextState } from '@callout/domain/callout/transitions';

/** A record of a webhook with open callouts, which are all locked by the transaction. */
export interface OpenRecord {
  recordId: number;
  /** The lowest number: the callout that is due or held. All further callouts of the record wait. */
  headSequence: number;
  headId: string;
  /** Until when a worker may be sending a callout of the record, rounded up; null when no worker is. */
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
  /** The eventID as the caller knows it. */
  eventId: string | null;
  /** The `traceparent` of the event; null: not traced, or the event is past retention. */
  traceParent: string | null;
  /** Attempts made so far: their numbers continue. */
  attempts: number;
  /** The size of the body, about. */
  bodyBytes: number;
}

/** An ended callout, and the state in which it is reopened. */
export interface ReopenedCallout extends EndedCallout {
  state: NextState<'failed' | 'cancelled', 'redelivered' | 'redeliveredBehindOpenCallout'>;
  /** The earliest time of the next attempt; null: now. */
  dueAt: Date | null;
}

export interface Reopening {
  reopened: ReopenedCallout[];
  /** Open callouts that were the first of their record, and now wait. */
  overtakenIds: string[];
}

/**
 * Decides how ended callouts of a webhook are reopened. Callouts of a record are sent in the order of their numbers,
 * before any later open callout: the lowest number of all is due and the rest waits. A later callout that is being sent at
 * the moment may finish; since the result may be an end or a retry, the first callout of the record is due when the lease
 * is over. `openRecords`: every record of the ended callouts with open callouts.
 */
export function reopen(ended: readonly EndedCallout[], openRecords: readonly OpenRecord[]): Reopening {
  const openByRecord = new Map(openRecords.map((record) => [record.recordId, record]));
  const firsts = new Map<number, EndedCallout>();
  for (const callout of ended) {
    const first = firsts.get(callout.recordId);
    if (first === undefined || callout.sequenceNumber < first.sequenceNumber) firsts.set(callout.recordId, callout);
  }
  const isHead = ({ recordId, sequenceNumber }: EndedCallout): boolean =>
    sequenceNumber < (openByRecord.get(recordId)?.headSequence ?? Infinity);
  const heads = new Set([...firsts.values()].filter(isHead));
  return {
    reopened: ended.map((callout) =>
      heads.has(callout)
        ? { ...callout, state: 'due', dueAt: openByRecord.get(callout.recordId)?.busyUntil ?? null }
        : { ...callout, state: 'waiting', dueAt: null },
    ),
    overtakenIds: [...heads].flatMap(({ recordId }) => openByRecord.get(recordId)?.headId ?? []),
  };
}
