import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, pagingIn } from '../../api/client.ts';
import { entityOfType, pathOf, type Entity } from '../../api/entities.ts';

/** A webhook, as addresses of pages name it. */
export interface WebhookAddress {
  readonly entity: Entity;
  readonly id: number;
}

/** Undefined: no webhook can have this address. */
export function addressOf(entityType: string, webhookId: string): WebhookAddress | undefined {
  const entity = entityOfType(entityType);
  const id = Number(webhookId);
  return entity !== undefined && Number.isSafeInteger(id) && id > 0 ? { entity, id } : undefined;
}

const pathParams = ({ id }: WebhookAddress) => ({ path: { id } });
/** With what the keys of all queries of a webhook begin. */
export const keyOf = ({ entity, id }: WebhookAddress) => ['webhook', entity.type, id];

export function webhookQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: keyOf(address),
    queryFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}');
      const { data } = await api.GET(path, { params: pathParams(address) });
      if (!data?.item) throw new Error(`There is no webhook ${address.id} of ${address.entity.label.toLowerCase()}.`);
      return data.item;
    },
  });
}

export function readinessQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: [...keyOf(address), 'readiness'],
    queryFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/readiness');
      return (await api.GET(path, { params: pathParams(address) })).data?.item ?? null;
    },
    refetchInterval: 15_000,
  });
}

export const openStates = ['waiting', 'held', 'due'] as const;
export const endedStates = ['delivered', 'failed', 'cancelled', 'merged'] as const;
export const calloutStates = [...openStates, ...endedStates] as const;
export type CalloutState = (typeof calloutStates)[number];

/** What a list of callouts is narrowed to. Empty: all of them. */
export interface CalloutFilter {
  /** One or more, separated by commas. */
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

export type ListedCallout = Awaited<ReturnType<typeof readCallouts>>['items'][number];

async function readCallouts(address: WebhookAddress, filter: CalloutFilter, paging: string | undefined) {
  const { collection } = address.entity;
  const { data } =
    paging === undefined
      ? await api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{id}/Callouts'), {
          params: { ...pathParams(address), query: { ...filter, maxRecords: rowsOfPage } },
        })
      : await api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{id}/Callouts/query/next'), {
          params: { ...pathParams(address), query: { paging } },
        });
  return { items: data?.items ?? [], next: pagingIn(data?.pageDetails.nextPageUrl) };
}

const rowsOfPage = 50;

/** The callouts of a webhook, newest first, page by page. */
export function calloutsQuery(address: WebhookAddress, filter: CalloutFilter) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(address), 'callouts', 'list', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readCallouts(address, filter, pageParam),
    getNextPageParam: ({ next }) => next,
  });
}

/** How many callouts of a webhook a filter finds, at this moment. */
export function calloutCountQuery(address: WebhookAddress, filter: CalloutFilter) {
  return queryOptions({
    queryKey: [...keyOf(address), 'callouts', 'count', filter],
    staleTime: 0,
    queryFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/Callouts/query/count');
      return (await api.GET(path, { params: { ...pathParams(address), query: filter } })).data?.queryCount ?? 0;
    },
  });
}

export function changesQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: [...keyOf(address), 'changes'],
    queryFn: async () => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}/Changes');
      return (await api.GET(path, { params: pathParams(address) })).data?.items ?? [];
    },
  });
}
