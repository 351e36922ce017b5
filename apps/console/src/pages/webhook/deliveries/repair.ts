import { api } from '../../../api/client.ts';
import { pathOf } from '../../../api/entities.ts';
import type { CalloutState, WebhookAddress } from '../webhook-queries.ts';
import type { Chosen } from './use-chosen.ts';

export type Repair = 'retryNow' | 'redeliver' | 'cancel';

/**
 * Sends now, redelivers or cancels those of the chosen callouts that are in one of `states`.
 * @returns how many. Throws ApiError.
 */
export async function repair(
  { entity, id }: WebhookAddress,
  kind: Repair,
  chosen: Chosen,
  states: readonly CalloutState[],
): Promise<number> {
  const body = { ...rangeOf(chosen), states: [...states] } as never;
  const params = { path: { id } };
  if (kind === 'retryNow') {
    const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/retryNow');
    return (await api.POST(path, { params, body })).data?.queued ?? 0;
  }
  if (kind === 'redeliver') {
    const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/redeliver');
    return (await api.POST(path, { params, body })).data?.queued ?? 0;
  }
  const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/cancel');
  return (await api.POST(path, { params, body })).data?.cancelled ?? 0;
}

/** How many of the chosen callouts a redelivery would send again, and what that means for order. Throws ApiError. */
export async function forecastOf({ entity, id }: WebhookAddress, chosen: Chosen, states: readonly CalloutState[]) {
  const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/redeliver');
  const body = { ...rangeOf(chosen), states: [...states], dryRun: true } as never;
  const { data } = await api.POST(path, { params: { path: { id } }, body });
  return { count: data?.queued ?? 0, order: data?.order?.message };
}

function rangeOf(chosen: Chosen) {
  if (chosen.kind === 'rows') return { calloutIDs: chosen.rows.map(({ id }) => id) };
  const { action, recordID, since } = chosen.filter;
  return {
    ...(action !== undefined && { actions: [action] }),
    ...(recordID !== undefined && { recordID }),
    ...(since !== undefined && { since }),
  };
}
