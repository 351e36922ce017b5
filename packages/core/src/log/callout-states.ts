/** The states of a callout as the log shows them: those of open ones, and those in which it can end. */
export const openCalloutStates = ['waiting', 'held', 'due'] as const;
export const endedCalloutStates = ['delivered', 'failed', 'cancelled'] as const;
/** Those of what a receiver did not get. */
export const missedCalloutStates = ['failed', 'cancelled'] as const;
export const calloutStates = [...openCalloutStates, ...endedCalloutStates] as const;

/** Why a callout is sent: for an event, because its webhook was deactivated, or as a test. */
export const calloutKinds = ['event', 'deactivation', 'test'] as const;

export type CalloutState = (typeof calloutStates)[number];
