import { chainStart, chainValue, type ChainedCallout } from '@callout/domain/callout/chain';

/** A callout that a chain may be continued with, in the order of numbers. */
export interface NextCallout extends ChainedCallout {
  /** Whether its body can no longer change. */
  readonly isFinal: boolean;
}

/** Where a chain ends. */
export interface ChainEnd {
  readonly number: number;
  readonly value: string;
}

/** A piece of a chain: the value before its first number, and that at each of its numbers. */
export interface ChainPiece {
  readonly firstNumber: number;
  readonly values: readonly string[];
}

/** The number at which a piece ends; one before its first when it has none. */
export function lastNumberOf({ firstNumber, values }: ChainPiece): number {
  return firstNumber + values.length - 2;
}

/**
 * Continues a chain with the callouts that follow it, up to the first gap in their numbers and the first body that is not final.
 * Where the next callout is no longer stored, a new chain begins behind the gap: nobody could compute the old one any
 * more.
 */
export function continueChain({ number, value }: ChainEnd, callouts: readonly NextCallout[]): ChainPiece {
  const firstNumber = callouts.at(0)?.sequenceNumber ?? number + 1;
  const values = [firstNumber === number + 1 ? value : chainStart];
  for (const callout of callouts) {
    const before = values.at(-1);
    if (before === undefined || !callout.isFinal || callout.sequenceNumber !== firstNumber + values.length - 1) break;
    values.push(chainValue(before, callout));
  }
  return { firstNumber, values };
}
