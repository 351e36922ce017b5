import type { Pool } from 'pg';
import { chainsToContinue, continueChainOf } from './build-chain.ts';
import { sendDigest, webhooksToDigest } from './send-digest.ts';

/** Webhooks that one statement names. */
const atOnce = 200;

/** A round of work on chains and digests. */
export interface DigestRound {
  /** Checked between two webhooks. */
  readonly isStopping: () => boolean;
  /** The digest of this webhook is stored, and due. */
  readonly onDigest: (webhookKey: number) => void;
}

/**
 * Continues the chains of all webhooks that have one, and sends the digests that are due. Any number of processes may
 * do this at once. A webhook that fails delays no other.
 * @throws the first of the errors, after the others were done.
 */
export async function workOnDigests(pool: Pool, round: DigestRound): Promise<void> {
  const errors: unknown[] = [];
  await each(chainsToContinue, (webhookKey) => continueWholeChain(pool, webhookKey, round));
  await each(webhooksToDigest, async (webhookKey) => {
    // As late as possible: a digest covers what is in the chain.
    await continueWholeChain(pool, webhookKey, round);
    while (!round.isStopping() && (await sendDigest(pool, webhookKey))) round.onDigest(webhookKey);
  });
  if (errors.length > 0) throw errors[0];

  async function each(
    find: (pool: Pool, afterKey: number, atMost: number) => Promise<number[]>,
    work: (webhookKey: number) => Promise<void>,
  ): Promise<void> {
    for (let afterKey = 0; ;) {
      const keys = await find(pool, afterKey, atOnce);
      for (const webhookKey of keys) {
        if (round.isStopping()) return;
        await work(webhookKey).catch((error: unknown) => errors.push(error));
      }
      afterKey = keys.at(-1) ?? afterKey;
      if (keys.length < atOnce) return;
    }
  }
}

/** Numbers of one webhook in one round: the next round goes on, and the others have their turn. */
const mostNumbersPerRound = 50_000;

async function continueWholeChain(pool: Pool, webhookKey: number, { isStopping }: DigestRound): Promise<void> {
  for (let added = 0; added < mostNumbersPerRound && !isStopping();) {
    const count = await continueChainOf(pool, webhookKey);
    if (count === 0) return;
    added += count;
  }
}
