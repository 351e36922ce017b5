import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api, pagesQuery } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { keyOf } from '../../api/webhook.ts';
import { changesOfPage } from '../../parts/changes/changes-table.tsx';

export function readinessQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: [...keyOf(address), 'readiness'],
    queryFn: async () =>
      (await api.GET(webhookPath(address, '/readiness'), { params: webhookParams(address) })).data.item,
    refetchInterval: 15_000,
  });
}

export const openStates = ['waiting', 'held', 'due'] as const;
export const calloutStates = [...openStates, 'delivered', 'failed', 'cancelled', 'merged'] as const;
export type CalloutState = (typeof calloutStates)[number];

/** What a list of callouts is narrowed to. Empty: all of them. */
export interface CalloutFilter {
  /** One state or several, separated by commas. */
  readonly state?: string;
  /** `true`: only open ones whose last attempt failed. */
  readonly isFailing?: 'true';
  readonly recordID?: number;
  readonly action?: string;
  /** `event`, `deactivation` or `test`. */
  readonly kind?: string;
  /** Made then or later, ISO 8601. */
  readonly since?: string;
}

export type ListedCallout = Schemas['Callout'];

const rowsOfPage = 50;

/** The callouts of a webhook, newest first, page by page. */
export const calloutsQuery = (address: WebhookAddress, filter: CalloutFilter) =>
  pagesQuery([...keyOf(address), 'callouts', 'list', filter], (paging) =>
    paging === undefined
      ? api.GET(webhookPath(address, '/Callouts'), {
          params: { ...webhookParams(address), query: { ...filter, maxRecords: rowsOfPage } },
        })
      : api.GET(webhookPath(address, '/Callouts/query/next'), {
          params: { ...webhookParams(address), query: { paging } },
        }),
  );

/** How many callouts of a webhook a filter finds, at the moment. */
export function calloutCountQuery(address: WebhookAddress, filter: CalloutFilter) {
  return queryOptions({
    queryKey: [...keyOf(address), 'callouts', 'count', filter],
    staleTime: 0,
    queryFn: async () => {
      const params = { ...webhookParams(address), query: filter };
      return (await api.GET(webhookPath(address, '/Callouts/query/count'), { params })).data.queryCount;
    },
  });
}

export function changesQuery(address: WebhookAddress) {
  const params = webhookParams(address);
  return pagesQuery([...keyOf(address), 'changes'], (paging) =>
    paging === undefined
      ? api.GET(webhookPath(address, '/Changes'), { params: { ...params, query: { maxRecords: changesOfPage } } })
      : api.GET(webhookPath(address, '/Changes/query/next'), { params: { ...params, query: { paging } } }),
  );
}
