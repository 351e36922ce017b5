import type { DigestContent } from './verify/callout.ts';

/** A callout that arrived and was handled. */
export interface LedgerCallout {
  readonly sequenceNumber: number;
  /** Its `webhook-id`. */
  readonly id: string;
  /** The SHA-256 of its body, in lower-case hex. */
  readonly sha256: string;
}

/** A digest that arrived. */
export interface LedgerDigest extends DigestContent {
  /** Its own. */
  readonly SequenceNumber: number;
}

/**
 * Keeps what arrived of each webhook. With several processes, all of them must share one store. Nothing in it changes:
 * adding the same once more does nothing.
 */
export interface LedgerStore {
  add(webhookGuid: string, callout: LedgerCallout): void | Promise<void>;
  addDigest(webhookGuid: string, digest: LedgerDigest): void | Promise<void>;
  /** The callouts that arrived with these numbers, both ends included, in any order. */
  callouts(webhookGuid: string, from: number, to: number): readonly LedgerCallout[] | Promise<readonly LedgerCallout[]>;
  /** All digests that arrived, in any order. */
  digests(webhookGuid: string): readonly LedgerDigest[] | Promise<readonly LedgerDigest[]>;
  /** Removes callouts with numbers up to this one, and digests that end there or earlier. */
  forget(webhookGuid: string, through: number): void | Promise<void>;
}

interface Kept {
  readonly callouts: Map<number, LedgerCallout>;
  readonly digests: Map<number, LedgerDigest>;
}

/** A {@link LedgerStore} for a receiver that is one process: it forgets when the process ends. */
export function createMemoryLedgerStore(): LedgerStore {
  const webhooks = new Map<string, Kept>();

  function of(webhookGuid: string): Kept {
    const known = webhooks.get(webhookGuid) ?? { callouts: new Map(), digests: new Map() };
    webhooks.set(webhookGuid, known);
    return known;
  }

  return {
    add(webhookGuid, callout) {
      of(webhookGuid).callouts.set(callout.sequenceNumber, callout);
    },
    addDigest(webhookGuid, digest) {
      of(webhookGuid).digests.set(digest.SequenceNumber, digest);
    },
    callouts(webhookGuid, from, to) {
      return [...of(webhookGuid).callouts.values()].filter(
        ({ sequenceNumber }) => sequenceNumber >= from && sequenceNumber <= to,
      );
    },
    digests: (webhookGuid) => [...of(webhookGuid).digests.values()],
    forget(webhookGuid, through) {
      const { callouts, digests } = of(webhookGuid);
      for (const number of callouts.keys()) if (number <= through) callouts.delete(number);
      for (const [number, { LastSequenceNumber }] of digests) if (LastSequenceNumber <= through) digests.delete(number);
    },
  };
}
