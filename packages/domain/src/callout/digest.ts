import { endedCalloutStates } from './callout-states.ts';

/** How often digests are sent. */
export const digestPeriods = ['none', 'hour', 'day'] as const;

/**
 * The state of callouts in a digest. `open`: they are still to be delivered; `deactivation`: a deactivation call, delivered to the
 * deactivationUrl, which may be another receiver.
 */
export const digestStates = ['open', ...endedCalloutStates, 'deactivation'] as const;
export type DigestState = (typeof digestStates)[number];

/** Consecutive numbers with one state, both ends included. */
export interface DigestRun {
  readonly from: number;
  readonly to: number;
  readonly state: DigestState;
}

/** The same with the values of the chain, so that a receiver that lacks these callouts can go on behind them. */
export interface ChainedRun extends DigestRun {
  /** At the number before `from`. */
  readonly chainBefore: string;
  /** At `to`. */
  readonly chainAfter: string;
}

/** Which callouts of a range were delivered. */
export interface DigestContent {
  readonly firstSequenceNumber: number;
  /** One less than the first in a digest that only has news about earlier numbers. */
  readonly lastSequenceNumber: number;
  /** The value of the chain before the first number. */
  readonly previousChain: string;
  /** At the last number. */
  readonly chain: string;
  /** Every number of the range that its receiver did not get, in order. */
  readonly notDelivered: readonly ChainedRun[];
  /** Numbers before the range that an earlier digest called open and that have ended since. */
  readonly earlier: readonly DigestRun[];
}

/** The key `digest` in a typed body. */
export function typedDigest(content: DigestContent) {
  const { firstSequenceNumber, lastSequenceNumber, previousChain, chain, notDelivered, earlier } = content;
  return {
    firstSequenceNumber,
    lastSequenceNumber,
    count: lastSequenceNumber - firstSequenceNumber + 1,
    previousChain,
    chain,
    notDelivered: notDelivered.map(({ from, to, state, chainBefore, chainAfter }) => ({
      from,
      to,
      state,
      chainBefore,
      chainAfter,
    })),
    earlier: earlier.map(({ from, to, state }) => ({ from, to, state })),
  };
}

/** The key `Digest` in the body of a digest. */
export function digestPayload(content: DigestContent) {
  const { firstSequenceNumber, lastSequenceNumber } = content;
  return {
    FirstSequenceNumber: firstSequenceNumber,
    LastSequenceNumber: lastSequenceNumber,
    Count: lastSequenceNumber - firstSequenceNumber + 1,
    PreviousChain: content.previousChain,
    Chain: content.chain,
    NotDelivered: content.notDelivered.map(({ from, to, state, chainBefore, chainAfter }) => ({
      From: from,
      To: to,
      State: state,
      ChainBefore: chainBefore,
      ChainAfter: chainAfter,
    })),
    Earlier: content.earlier.map(({ from, to, state }) => ({ From: from, To: to, State: state })),
  };
}
