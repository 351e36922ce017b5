import type { FailedReason } from './failed-reason.ts';
import type { calloutKinds, CalloutState } from './callout-states.ts';

export {
  calloutKinds,
  type CalloutState,
  calloutStates,
  missedCalloutStates,
  openCalloutStates,
} from './callout-states.ts';

/** A selection of callouts of a webhook; null: not restricted. */
export interface CalloutRange {
  /** The earliest time at which they were made. */
  readonly since: Date | null;
  /** The end of the time, exclusive. */
  readonly until: Date | null;
  /** Never empty. */
  readonly states: readonly CalloutState[] | null;
  /** Including both ends. */
  readonly fromSequence: number | null;
  readonly toSequence: number | null;
  /** Of this record. */
  readonly recordId?: number | null;
  /** Never empty. */
  readonly actions?: readonly string[] | null;
  /** Only these, a thousand at most. */
  readonly ids?: readonly string[] | null;
  /** Why they failed; never empty, and only with the state `failed`. */
  readonly reasons?: readonly FailedReason[] | null;
}

/** A selection of callouts to be shown. */
export interface CalloutFilter extends CalloutRange {
  /** Of this record; calls without a record are then left out. */
  readonly recordId: number | null;
  /** Never empty. */
  readonly actions: readonly string[] | null;
  /** Never empty. */
  readonly kinds: readonly (typeof calloutKinds)[number][] | null;
  /** Only open ones whose last attempt failed. */
  readonly isFailing?: boolean;
}
