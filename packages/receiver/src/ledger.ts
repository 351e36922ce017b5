import { bytesOf, type RawBody, utf8 } from './verify/bytes.ts';
import type { Callout, DigestContent } from './verify/callout.ts';
import { createMemoryLedgerStore, type LedgerCallout, type LedgerDigest, type LedgerStore } from './ledger-store.ts';

/** Consecutive numbers with one state, both ends included. */
export interface LedgerRun {
  readonly from: number;
  readonly to: number;
  /**
   * What the digests say: `delivered`, although it did not arrive here; `failed`, `open`, `cancelled`, `merged`, or
   * `deactivation` for a deactivation call, which went to the `deactivationUrl`.
   */
  readonly state: string;
}

/** What a ledger knows of a webhook. */
export interface LedgerReport {
  /** Every callout that the digests cover arrived, or is explained, and is the one that was sent. */
  readonly isComplete: boolean;
  /** The numbers that the digests cover; null: no digest has come. */
  readonly covered: { readonly from: number; readonly to: number } | null;
  /** Not here, and nothing more will come by itself: redeliver them. */
  readonly missing: readonly LedgerRun[];
  /** Not here yet: they are still to be delivered. */
  readonly open: readonly LedgerRun[];
  /** Not here, for a reason: they were cancelled or merged into others, or are deactivation calls. */
  readonly explained: readonly LedgerRun[];
  /** Numbers between digests of which no digest came: it is among the missing, or its numbers are no longer kept. */
  readonly uncovered: readonly { readonly from: number; readonly to: number }[];
  /** Numbers among which a callout is not the one that was sent: the values of the chain differ. */
  readonly different: readonly { readonly from: number; readonly to: number }[];
}

export interface Ledger {
  /** Notes a callout that was handled, or a digest. `body`: as it came. A test is not noted. */
  add(callout: Callout, body: RawBody): Promise<void>;
  /** Compares what arrived of a webhook with its digests. */
  check(webhookGuid: string): Promise<LedgerReport>;
  /** Forgets everything up to a number, so that the ledger does not grow for ever. */
  forget(webhookGuid: string, through: number): Promise<void>;
}

/** Makes a ledger of the callouts that arrived, which digests are compared with. */
export function createLedger({ store = createMemoryLedgerStore() }: { readonly store?: LedgerStore } = {}): Ledger {
  return {
    async add({ id, isTest, payload }, body) {
      if (isTest) return;
      const { Guid, SequenceNumber: sequenceNumber, Digest } = payload;
      if (Digest !== undefined) await store.addDigest(Guid, { ...Digest, SequenceNumber: sequenceNumber });
      await store.add(Guid, { sequenceNumber, id, sha256: await sha256(bytesOf(body)) });
    },
    async check(webhookGuid) {
      const digests = [...(await store.digests(webhookGuid))].sort(inOrder);
      return checkDigests(digests, (from, to) => store.callouts(webhookGuid, from, to));
    },
    async forget(webhookGuid, through) {
      await store.forget(webhookGuid, through);
    },
  };
}

function inOrder(one: LedgerDigest, other: LedgerDigest): number {
  return one.SequenceNumber - other.SequenceNumber;
}

type ReadCallouts = (from: number, to: number) => ReturnType<LedgerStore['callouts']>;

async function checkDigests(digests: readonly DigestContent[], read: ReadCallouts): Promise<LedgerReport> {
  const absent = new Map<number, string>();
  const different: { from: number; to: number }[] = [];
  const uncovered: { from: number; to: number }[] = [];
  let before: DigestContent | undefined;
  for (const digest of digests) {
    const { FirstSequenceNumber: first, LastSequenceNumber: last, NotDelivered, Earlier, PreviousChain } = digest;
    const gap = before === undefined ? 0 : first - before.LastSequenceNumber - 1;
    if (gap > 0) uncovered.push({ from: first - gap, to: first - 1 });
    else if (before !== undefined && before.Chain !== PreviousChain) different.push({ from: first, to: last });
    const callouts = new Map((await read(first, last)).map((callout) => [callout.sequenceNumber, callout]));
    for (let number = first; number <= last; number += 1) if (!callouts.has(number)) absent.set(number, 'delivered');
    // What came by a redelivery is here, whatever an earlier digest stated of it.
    for (const { From, To, State } of [...NotDelivered, ...Earlier]) {
      for (let number = From; number <= To; number += 1) if (absent.has(number)) absent.set(number, State);
    }
    different.push(...(await compareChain(digest, callouts)));
    before = digest;
  }
  const runs = runsOf(absent);
  const missing = runs.filter(({ state }) => state === 'delivered' || state === 'failed');
  const open = runs.filter(({ state }) => state === 'open');
  return {
    isComplete: before !== undefined && [missing, open, uncovered, different].every((list) => list.length === 0),
    covered:
      before === undefined ? null : { from: digests[0]?.FirstSequenceNumber ?? 0, to: before.LastSequenceNumber },
    missing,
    open,
    explained: runs.filter((run) => !missing.includes(run) && !open.includes(run)),
    uncovered,
    different,
  };
}

/**
 * Computes the chain of a digest over what arrived. It goes on behind the runs that were not delivered; between two
 * of them nothing is known where a callout is missing.
 * @returns the parts in which the values differ.
 */
async function compareChain(
  { FirstSequenceNumber: first, LastSequenceNumber: last, PreviousChain, Chain, NotDelivered }: DigestContent,
  callouts: ReadonlyMap<number, LedgerCallout>,
): Promise<{ from: number; to: number }[]> {
  const different: { from: number; to: number }[] = [];
  let value: string | undefined = PreviousChain;
  let from = first;
  const end = { From: last + 1, To: last, ChainBefore: Chain, ChainAfter: Chain };
  for (const { From, To, ChainBefore, ChainAfter } of [...NotDelivered, end]) {
    for (let number = from; number < From && value !== undefined; number += 1) {
      const callout = callouts.get(number);
      value = callout && (await chainValue(value, callout));
    }
    if (value !== undefined && value !== ChainBefore) different.push({ from, to: From - 1 });
    value = ChainAfter;
    from = To + 1;
  }
  return different;
}

/** As docs/digests.md defines it. */
async function chainValue(before: string, { sequenceNumber, id, sha256: body }: LedgerCallout): Promise<string> {
  return sha256(utf8(`${before}\n${sequenceNumber}\n${id}\n${body}\n`));
}

async function sha256(bytes: ReturnType<typeof utf8>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function runsOf(states: ReadonlyMap<number, string>): LedgerRun[] {
  const runs: { from: number; to: number; state: string }[] = [];
  for (const [number, state] of [...states].sort(([one], [other]) => one - other)) {
    const before = runs.at(-1);
    if (before?.to === number - 1 && before.state === state) before.to = number;
    else runs.push({ from: number, to: number, state });
  }
  return runs;
}
