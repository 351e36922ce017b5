import { openCalloutStates, type CalloutState } from '@callout/domain/callout/callout-states';
import type { Transaction } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { boundsOf } from '@callout/database/schema/ids';

const cancel = statementFrom<{ recordId: number }>('deactivate/delivery_cancel');

/**
 * Open → cancelled, for the given callouts that are still open in one of `states`. The lease of one that is being sent
 * is stored, so that the result of that attempt can still count. The transaction must have locked their rows.
 * @returns the record of each that was cancelled.
 */
export async function closeCallouts(
  transaction: Transaction,
  calloutIds: readonly string[],
  states: readonly CalloutState[] = openCalloutStates,
): Promise<number[]> {
  if (calloutIds.length === 0) return [];
  const cancelled = await cancel(transaction, [calloutIds, states, ...boundsOf(calloutIds)]);
  return cancelled.map(({ recordId }) => recordId);
}
