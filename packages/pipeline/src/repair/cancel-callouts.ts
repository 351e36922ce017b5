import { Problem } from '@callout/domain/problem';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { closeCallouts } from '../deactivate/cancel.ts';
import { openCalloutStates, type CalloutRange, type CalloutState } from '@callout/domain/callout/callout-filter';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { lockWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import { findCallout, type CalloutAddress, idBounds, lockOpenRecords, type RepairDeps } from './repairs.ts';
import { promoteFirst } from '../settle/store.ts';

const CALLOUTS_PER_TRANSACTION = 1_000;

interface Picked {
  id: string;
  recordId: number;
  sequenceNumber: number;
}

const pick = statementFrom<Picked>('repair/repair_pick_open');

const findLast = statementFrom<{ lastSequence: number }>('repair/repair_find_last_sequence');

/**
 * Cancels open callouts of a range, in transactions of bounded size; except deactivation calls and tests.
 * Callouts that are made meanwhile stay. An attempt under way is not interrupted: a success still counts.
 * @returns how many were cancelled.
 * @throws a Problem `notFound` without such a webhook.
 */
export async function cancelRange(deps: RepairDeps, address: WebhookAddress, range: CalloutRange): Promise<number> {
  const states = openCalloutStates.filter((state) => range.states?.includes(state) ?? true);
  const { key } = await inTransaction(deps.database.pool, (transaction) => lockWebhook(transaction, address));
  const [webhook] = states.length === 0 ? [] : await findLast(deps.database.pool, [key]);
  if (webhook === undefined) return 0;
  const last = Math.min(range.toSequence ?? webhook.lastSequence, webhook.lastSequence);
  const filters = [range.recordId ?? null, range.actions ?? null, range.ids ?? null];
  const filter = [range.fromSequence ?? 0, last, states, ...idBounds(range), ...filters, CALLOUTS_PER_TRANSACTION];
  let cancelled = 0;
  let before = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  for (;;) {
    const picked = await pick(deps.database.pool, [key, ...before, ...filter]);
    cancelled += await cancelCallouts(deps, address, picked, states);
    const lowest = picked.at(-1);
    if (lowest === undefined || picked.length < CALLOUTS_PER_TRANSACTION) return cancelled;
    before = [lowest.recordId, lowest.sequenceNumber];
  }
}

/**
 * Cancels an open callout, or a test.
 * @returns 1, or 0 when the callout has ended already.
 * @throws a Problem: `notFound` without the webhook or the callout, `conflict` for a deactivation call.
 */
export async function cancelOne(deps: RepairDeps, { webhook, calloutId }: CalloutAddress): Promise<number> {
  const callout = await findCallout(deps.database.pool, { webhook, calloutId });
  if (callout.kind === 'deactivation') {
    throw Problem.conflict('A deactivation call is not cancelled: it is the last that its receiver gets');
  }
  return cancelCallouts(deps, webhook, [callout], openCalloutStates);
}

/** Cancels the given callouts that are still in one of `states`, and makes the next callouts of the records due. */
async function cancelCallouts(
  { database: { pool }, enqueueDeliver }: RepairDeps,
  address: WebhookAddress,
  callouts: readonly Picked[],
  states: readonly CalloutState[],
): Promise<number> {
  if (callouts.length === 0) return 0;
  const { count, due } = await inTransaction(pool, async (transaction) => {
    const webhook = await lockWebhook(transaction, address);
    await lockOpenRecords(
      transaction,
      webhook.key,
      callouts.map(({ recordId }) => recordId),
    );
    const ids = callouts.map(({ id }) => id);
    const recordIds = await closeCallouts(transaction, ids, states);
    const records = recordIds.map((recordId) => ({ webhookKey: webhook.key, recordId }));
    return { count: recordIds.length, due: await promoteFirst(transaction, records) };
  });
  if (due.length > 0) enqueueDeliver(due);
  return count;
}
