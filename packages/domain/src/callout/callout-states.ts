/** The states of a callout in the log: those of open ones, and the final ones. */
export const openCalloutStates = ['waiting', 'held', 'due'] as const;
export const endedCalloutStates = ['delivered', 'failed', 'cancelled', 'merged'] as const;
/**
 * The states of ended callouts that can be redelivered. A merged callout is never sent: another callout carries the
 * change.
 */
export const redeliverableStates = ['delivered', 'failed', 'cancelled'] as const;
/** The states of callouts that a receiver did not get. */
export const missedCalloutStates = ['failed', 'cancelled'] as const;
export const calloutStates = [...openCalloutStates, ...endedCalloutStates] as const;

/**
 * Why a callout is sent: for an event, because its webhook was deactivated, to say which callouts were delivered, or as a
 * test. Only callouts of events wait for their record and count for a threshold.
 */
export const calloutKinds = ['event', 'deactivation', 'test'] as const;

export type CalloutKind = (typeof calloutKinds)[number];

export type CalloutState = (typeof calloutStates)[number];
