import { createMemoryLedgerStore, type LedgerStore } from './ledger-store.ts';
import type { Callout } from './verify/callout.ts';

/** Consecutive sequence numbers, both ends included. */
export interface LedgerRange {
  readonly from: number;
  readonly to: number;
}

/** What a ledger knows of a webhook. */
export interface LedgerReport {
  /** Every number from the first to the highest was handled. */
  readonly isComplete: boolean;
  /** The compared numbers: from 1, or from behind the forgotten numbers, to the highest; null: no callout came. */
  readonly covered: LedgerRange | null;
  /** The numbers in between that were not handled, in rising order. `callout reconcile --missing` says why of each. */
  readonly missing: readonly LedgerRange[];
}

export interface Ledger {
  /** Notes a callout that was handled. A test has no number, and is not noted. */
  add(callout: Callout): Promise<void>;
  /** Names the missing numbers of a webhook: a webhook counts its callouts from 1, without a gap. */
  check(webhookGuid: string): Promise<LedgerReport>;
  /** Forgets the numbers up to `through`, so the ledger does not grow for ever. */
  forget(webhookGuid: string, through: number): Promise<void>;
}

/** Makes a ledger of handled callouts, which names missing callouts. */
export function createLedger({ store = createMemoryLedgerStore() }: { readonly store?: LedgerStore } = {}): Ledger {
  return {
    async add({ isTest, payload: { Guid, SequenceNumber } }) {
      if (!isTest) await store.add(Guid, SequenceNumber);
    },
    async check(webhookGuid) {
      const { forgottenThrough, handled } = await store.read(webhookGuid);
      const numbers = handled.filter((number) => number > forgottenThrough).sort((a, b) => a - b);
      const missing: LedgerRange[] = [];
      let last = forgottenThrough;
      for (const number of numbers) {
        if (number > last + 1) missing.push({ from: last + 1, to: number - 1 });
        last = number;
      }
      return {
        isComplete: missing.length === 0,
        covered: numbers.length === 0 ? null : { from: forgottenThrough + 1, to: last },
        missing,
      };
    },
    async forget(webhookGuid, through) {
      await store.forget(webhookGuid, through);
    },
  };
}
