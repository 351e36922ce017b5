import type { calloutKinds, CalloutState } from '@callout/core/log';

export {
  calloutKinds,
  type CalloutState,
  calloutStates,
  endedCalloutStates,
  missedCalloutStates,
  openCalloutStates,
} from '@callout/core/log';

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
