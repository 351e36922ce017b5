/**
 * Every state of an event and of a callout, and every way from one to the next: state → cause → next state. No code
 * path makes another transition; a test watches the rows that the real statements write. `newEvent` and `newCallout`
 * stand for a row that does not exist yet.
 */
export const transitions = {
  newEvent: { accepted: 'pending' },
  pending: { verdictsStored: 'matched' },
  matched: {},

  newCallout: { created: 'due', createdBehindOpenCallout: 'waiting' },
  /** An earlier callout of its record is open. */
  waiting: {
    predecessorClosed: 'due',
    cancelled: 'cancelled',
    // An earlier one was reopened while this one was being sent: what came of it still counts.
    retryScheduled: 'waiting',
    answeredWell: 'delivered',
    attemptsUsedUp: 'failed',
    receiverGone: 'failed',
  },
  /** To be sent at its due time; leased while it is sent. */
  due: {
    retryScheduled: 'due',
    thresholdReached: 'held',
    earlierCalloutReopened: 'waiting',
    answeredWell: 'delivered',
    attemptsUsedUp: 'failed',
    receiverGone: 'failed',
    cancelled: 'cancelled',
  },
  /** Kept back by the threshold of its tenant and entity. */
  held: { thresholdFreed: 'due', earlierCalloutReopened: 'waiting', cancelled: 'cancelled' },
  delivered: { redelivered: 'due', redeliveredBehindOpenCallout: 'waiting' },
  failed: { redelivered: 'due', redeliveredBehindOpenCallout: 'waiting' },
  cancelled: {
    redelivered: 'due',
    redeliveredBehindOpenCallout: 'waiting',
    /** A 2xx of an attempt begun before the cancelling: the receiver has it, so the log must say so. */
    answeredWell: 'delivered',
  },
} as const;

/** A state that the table knows. */
export type State = keyof typeof transitions;
