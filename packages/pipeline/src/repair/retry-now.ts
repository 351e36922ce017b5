import { Problem } from '@callout/domain/problem';
import type { Pool } from 'pg';
import type { Client } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { lockWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import { lockActiveWebhook, findCallout, type CalloutAddress, idBounds, type RepairDeps } from './repairs.ts';

const CALLOUTS_PER_TRANSACTION = 1_000;

interface RetriedCallout {
  recordId: number;
  sequenceNumber: number;
}

const retry = statementFrom<RetriedCallout>('repair/repair_retry_now');

const endPause = statementFrom('repair/repair_end_pause');

const everyCallout: CalloutRange = {
  since: null,
  until: null,
  fromSequence: null,
  toSequence: null,
  recordId: null,
  actions: null,
  ids: null,
  states: null,
};

const countFollowing = statementFrom<{ count: number }>('repair/repair_count_following');

/** What a request to send callouts now does. */
export interface Retried {
  /** How many are sent now. */
  queued: number;
  /** How many callouts of the records wait behind, and are sent as the callouts end. */
  following: number;
}

/** A part of the callouts of a webhook, in the order of records and numbers. */
interface Part {
  count: number;
  recordIds: readonly number[];
  /** Where the next part begins; null after the last. */
  next: RetriedCallout | null;
}

const beginning: RetriedCallout = { recordId: -1, sequenceNumber: -1 };

/** Makes the next part of the callouts of `range` due. */
async function retryPart(
  client: Client,
  webhookKey: number,
  range: CalloutRange,
  after: RetriedCallout,
  isPaused: boolean,
): Promise<Part> {
  const retried = await retry(client, [
    webhookKey,
    after.recordId,
    after.sequenceNumber,
    range.fromSequence ?? 0,
    range.toSequence ?? Number.MAX_SAFE_INTEGER,
    ...idBounds(range),
    range.recordId ?? null,
    range.actions ?? null,
    range.ids ?? null,
    isPaused,
    CALLOUTS_PER_TRANSACTION,
  ]);
  const last = retried.at(-1);
  const recordIds = retried.map(({ recordId }) => recordId);
  return { count: retried.length, recordIds, next: retried.length < CALLOUTS_PER_TRANSACTION ? null : (last ?? null) };
}

/**
 * Sends callouts now that only wait for the time of their next attempt, in transactions of bounded size. The attempts
 * count, and the order of each record, the threshold and the limits of the webhook apply as always. The pause of a
 * receiver ends: a callout is sent at once, and the rest when the callout is delivered.
 * @returns how many callouts became due, and how many wait behind.
 * @throws a Problem: `notFound` without the webhook, `conflict` when the webhook is inactive or becomes inactive
 * meanwhile.
 */
export async function retryRangeNow(deps: RepairDeps, address: WebhookAddress, range: CalloutRange): Promise<Retried> {
  let [queued, following] = [0, 0];
  if (!(range.states?.includes('due') ?? true)) return { queued, following };
  let after: RetriedCallout | null = beginning;
  while (after !== null) {
    const from: RetriedCallout = after;
    const { key, part } = await inTransaction(deps.database.pool, async (transaction) => {
      const { key: locked } = await lockActiveWebhook(transaction, address);
      const isPaused = (await endPause(transaction, [locked])).length > 0;
      return { key: locked, part: await retryPart(transaction, locked, range, from, isPaused) };
    });
    if (part.count > 0) {
      const [counted] = await countFollowing(deps.database.pool, [key, part.recordIds]);
      following += counted?.count ?? 0;
      deps.enqueueDeliver([key]);
    }
    queued += part.count;
    after = part.next;
  }
  return { queued, following };
}

const retryCall = statementFrom('repair/repair_retry_call_now');

/**
 * Sends a callout now that only waits for the time of the next attempt; also a deactivation call.
 * @returns `queued` is 1, or 0 when the callout waits for something else, is being sent or has ended.
 * @throws a Problem: `notFound` without the webhook or the callout, `conflict` for a test, and for an event's callout of
 * an inactive webhook.
 */
export async function retryOneNow(deps: RepairDeps, { webhook, calloutId }: CalloutAddress): Promise<Retried> {
  const { id, kind } = await findCallout(deps.database.pool, { webhook, calloutId });
  if (kind === 'test') throw Problem.conflict('A test is sent once: send another one');
  if (kind === 'event') return retryRangeNow(deps, webhook, { ...everyCallout, ids: [id] });
  const { key, count } = await inTransaction(deps.database.pool, async (transaction) => {
    const { key: locked } = await lockWebhook(transaction, webhook);
    return { key: locked, count: (await retryCall(transaction, [id])).length };
  });
  if (count > 0) deps.enqueueDeliver([key]);
  return { queued: count, following: 0 };
}

const findRecovered = statementFrom<{ webhookKey: number; recoveredAt: string }>('repair/recovery_find_webhooks');

const forgetRecovered = statementFrom('repair/recovery_forget');

/**
 * Sends the waiting callouts of webhooks whose receivers have recovered, after `settle` has marked them in the
 * transaction of the recovery. Two processes at once do no harm, and the next round completes what a stopped
 * process has left.
 * @returns how many callouts became due, by the key of the webhook.
 */
export async function releaseRecovered(
  pool: Pool,
  { atMost, isStopping }: { atMost: number; isStopping: () => boolean },
): Promise<Map<number, number>> {
  const released = new Map<number, number>();
  for (const { webhookKey, recoveredAt } of await findRecovered(pool, [atMost])) {
    let after: RetriedCallout | null = beginning;
    while (after !== null && !isStopping()) {
      const part: Part = await retryPart(pool, webhookKey, everyCallout, after, false);
      released.set(webhookKey, (released.get(webhookKey) ?? 0) + part.count);
      after = part.next;
    }
    if (after === null) await forgetRecovered(pool, [webhookKey, recoveredAt]);
  }
  return released;
}
