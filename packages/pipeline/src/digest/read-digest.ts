import { chainStart } from '@callout/domain/callout/chain';
import type { DigestContent } from '@callout/domain/callout/digest';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { continueChain, lastNumberOf } from './chain.rules.ts';
import { mostRuns } from './digest.rules.ts';
import { readNextCallouts } from './chain.ts';
import { chained, numbersToProve, readChainValues, readStoredRange } from './stored-runs.ts';

/** Numbers in one answer. */
const mostNumbers = 10_000;
/** The same where the chain is made for the answer: each body is read. */
const mostNumbersHashed = 1_000;

/** The numbers that are asked for, both ends included; null: from the first, to the last. */
export interface AskedRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** The chain of a webhook, and where its digests stand. */
export interface ChainState {
  readonly digestEvery: string;
  /** The last number that the webhook has given. */
  readonly lastNumber: number;
  /** The first number whose callout is stored; null: none is. */
  readonly keptFrom: number | null;
  /** The numbers in the chain that can be proven; null: the webhook has no chain. */
  readonly chainFrom: number | null;
  readonly chainTo: number | null;
  readonly nextDigestAt: Date | null;
  readonly lastDigest: number | null;
  readonly lastDigestAt: Date | null;
}

/** Which callouts of a range were delivered, as a digest of the range would say it. */
export interface ReadDigest extends DigestContent, ChainState {
  /** Where the rest of the asked range begins; null: this is all of it. */
  readonly next: number | null;
}

const readState = statement<ChainState>(
  'digest_read_state',
  `SELECT w.digest_every AS "digestEvery", w.last_sequence AS "lastNumber",
     (SELECT min(sequence_number) FROM callouts WHERE webhook_key = w.key AND sequence_number > 0) AS "keptFrom",
     (SELECT min(first_number) FROM chain_parts WHERE webhook_key = w.key) AS "chainFrom", c.last_number AS "chainTo",
     c.next_digest_at AS "nextDigestAt", c.last_digest AS "lastDigest", c.last_digest_at AS "lastDigestAt"
   FROM webhooks w LEFT JOIN webhook_chains c ON c.webhook_key = w.key WHERE w.key = $1`,
);

/**
 * Reads which callouts of a range were delivered. Without a chain, or before it, the values are those of a chain that
 * begins with the range. The client must read from one snapshot, or a day may be dropped between two statements.
 */
export async function readDigest(client: Client, webhookKey: number, asked: AskedRange): Promise<ReadDigest> {
  const [state] = await readState(client, [webhookKey]);
  if (state === undefined) throw new Error(`there is no webhook ${webhookKey}`);
  const { keptFrom, chainFrom, chainTo, lastNumber } = state;
  const first = Math.max(asked.from ?? 1, keptFrom ?? lastNumber + 1);
  const last = Math.min(asked.to ?? lastNumber, lastNumber);
  if (chainFrom !== null && chainTo !== null && first >= chainFrom) {
    const end = Math.min(last, chainTo);
    const content = await chainedContent(client, webhookKey, Math.min(first, chainTo + 1), end);
    return { ...state, ...content, next: nextOf(content, end) };
  }
  const end = Math.min(last, (chainFrom ?? Infinity) - 1);
  const content = await hashedContent(client, webhookKey, first, end);
  return { ...state, ...content, next: content.firstSequenceNumber > last ? null : nextOf(content, last) };
}

function nextOf({ lastSequenceNumber }: DigestContent, last: number): number | null {
  return lastSequenceNumber < last ? lastSequenceNumber + 1 : null;
}

async function chainedContent(client: Client, webhookKey: number, from: number, to: number): Promise<DigestContent> {
  const end = Math.min(to, from + mostNumbers - 1);
  if (end < from) return emptyContent(from, (await readChainValues(client, webhookKey, [from - 1]))(from - 1));
  const { keptFrom, runs } = await readStoredRange(client, webhookKey, from, end);
  const first = Math.max(from, keptFrom ?? end + 1);
  const last = lastToReport(runs, end);
  const reported = runs.slice(0, mostRuns).filter(({ from: begin }) => begin >= first);
  const valueAt = await readChainValues(client, webhookKey, numbersToProve(first, last, reported));
  return contentOf(first, last, chained(reported, valueAt), valueAt);
}

async function hashedContent(client: Client, webhookKey: number, from: number, to: number): Promise<DigestContent> {
  const atMost = Math.min(mostNumbersHashed, to - from + 1);
  const callouts = atMost < 1 ? [] : await readNextCallouts(client, webhookKey, from - 1, atMost);
  const ofRange = callouts.filter(({ sequenceNumber }) => sequenceNumber <= to);
  const piece = continueChain({ number: from - 1, value: chainStart }, ofRange);
  const [first, end] = [piece.firstNumber, lastNumberOf(piece)];
  if (end < first) return emptyContent(first, chainStart);
  const { runs } = await readStoredRange(client, webhookKey, first, end);
  const valueAt = (number: number) => piece.values[number - first + 1] ?? chainStart;
  return contentOf(first, lastToReport(runs, end), chained(runs.slice(0, mostRuns), valueAt), valueAt);
}

function lastToReport(runs: readonly { readonly from: number }[], end: number): number {
  const cutAt = runs[mostRuns]?.from;
  return cutAt === undefined ? end : cutAt - 1;
}

function contentOf(
  first: number,
  last: number,
  notDelivered: DigestContent['notDelivered'],
  valueAt: (number: number) => string,
): DigestContent {
  const values = { previousChain: valueAt(first - 1), chain: valueAt(last) };
  return { firstSequenceNumber: first, lastSequenceNumber: last, ...values, notDelivered, earlier: [] };
}

function emptyContent(first: number, value: string): DigestContent {
  return contentOf(first, first - 1, [], () => value);
}
