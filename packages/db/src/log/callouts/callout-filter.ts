/** The states of a callout as the log shows them: those of open ones, and those in which it can end. */
export const openCalloutStates = ['waiting', 'held', 'due'] as const;
export const endedCalloutStates = ['delivered', 'failed', 'cancelled'] as const;
/** Those of what a receiver did not get. */
export const missedCalloutStates = ['failed', 'cancelled'] as const;
export const calloutStates = [...openCalloutStates, ...endedCalloutStates] as const;

/** Why a callout is sent: for an event, because its webhook was deactivated, or as a test. */
export const calloutKinds = ['event', 'deactivation', 'test'] as const;

export type CalloutState = (typeof calloutStates)[number];

/** Which callouts of a webhook are meant; null: whatever it is. */
export interface CalloutRange {
  /** The oldest moment at which they were made. */
  readonly since: Date | null;
  /** The first moment that is too late. */
  readonly until: Date | null;
  /** Never empty. */
  readonly states: readonly CalloutState[] | null;
  /** Both ends are meant too. */
  readonly fromSequence: number | null;
  readonly toSequence: number | null;
  /** Of this record. */
  readonly recordId?: number | null;
  /** Never empty. */
  readonly actions?: readonly string[] | null;
  /** These and no others, a thousand at most. */
  readonly ids?: readonly string[] | null;
}

/** Which callouts are to be shown. */
export interface CalloutFilter extends Omit<CalloutRange, 'ids'> {
  /** Of this record; calls that no record caused are not meant then. */
  readonly recordId: number | null;
  /** Never empty. */
  readonly actions: readonly string[] | null;
  /** Never empty. */
  readonly kinds: readonly (typeof calloutKinds)[number][] | null;
}
