/**
 * Every state of an event and of a callout, and every way from one to the next: state → cause → next state. No code
 * path makes another transition. `newEvent` and `newCallout` stand for a row that does not exist yet.
 */
export const transitions = {
  newEvent: { accepted: 'pending' },
  pending: { verdictsStored: 'matched' },
  matched: {},

  newCallout: { created: 'due', createdBehindOpenCallout: 'waiting' },
  /** An earlier callout of its record is open. */
  waiting: { predecessorClosed: 'due', cancelled: 'cancelled' },
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

type Transitions = typeof transitions;

/** States in which an event is stored. */
export const eventStates = ['pending', 'matched'] as const;
export type EventState = (typeof eventStates)[number];

/** States in which a callout is stored. */
export const calloutStates = ['waiting', 'held', 'due', 'delivered', 'failed', 'cancelled'] as const;
export type CalloutState = (typeof calloutStates)[number];

/** A callout in one of these is still owed. */
export const openCalloutStates = ['waiting', 'held', 'due'] as const satisfies readonly CalloutState[];
export type OpenCalloutState = (typeof openCalloutStates)[number];

/** States and causes that the table knows. */
export type State = keyof Transitions;
export type Cause<From extends State = State> = From extends State ? keyof Transitions[From] : never;

/**
 * The state that follows `from` by `cause`. A pair that the table does not have throws an Error: a state read from the
 * database may have changed since it was decided upon, so settle such a race with a compare-and-set (see statesLeftBy).
 */
export function nextState(from: State, cause: Cause): State {
  const causes: Partial<Record<Cause, State>> = transitions[from];
  const next = Object.hasOwn(causes, cause) ? causes[cause] : undefined;
  if (next === undefined) throw new Error(`No transition leads from ${from} by ${cause}`);
  return next;
}

/** The states that `cause` leads out of: what a compare-and-set in the database asks for. */
export function statesLeftBy(cause: Cause): State[] {
  return (Object.keys(transitions) as State[]).filter((state) => Object.hasOwn(transitions[state], cause));
}
