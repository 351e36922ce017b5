import { infiniteQueryOptions } from '@tanstack/react-query';
import { createOperatorClient, type OperatorSchemas as Schemas } from '@callout/client';
import { consoleHeaders } from './session.ts';

/** Where the operator API is, on the operator's port. */
const root = '/operator/v1';

/** One page of a list; `nextAfter` is null on the last one. */
export interface OperatorPage<Item> {
  readonly items: readonly Item[];
  readonly nextAfter: number | string | null;
}

/** A query of an address; what is undefined or empty is left out. */
type Query = Readonly<Record<string, string | number | null | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

/** By the cookie of the session. Its methods throw ApiError. */
const client = createOperatorClient({
  baseUrl: globalThis.location.origin + root,
  headers: consoleHeaders,
  retry: false,
});

async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  // Pages build their paths, and name the schema of the answer.
  const { data } = await client.request(
    method.toLowerCase() as 'get',
    path as '/status',
    body === undefined ? {} : { body: body as never },
  );
  return data as Answer;
}

/** Asks the operator API for an item, or has one changed. Throws ApiError. */
export async function operate<Item>(method: string, path: string, body?: unknown): Promise<Item> {
  return (await ask<{ item: Item }>(method, path, body)).item;
}

/** Asks the operator API for a page of a list. Throws ApiError. */
export function operatorList<Item>(path: string, query: Query = {}): Promise<OperatorPage<Item>> {
  return ask('GET', withQuery(path, query));
}

/** Changes something of which the operator API answers a list. Throws ApiError. */
export async function operateOnList<Item>(method: string, path: string, body: unknown): Promise<readonly Item[]> {
  return (await ask<{ items: readonly Item[] }>(method, path, body)).items;
}

/** All of a list of the operator API, page by page. @param key what its query is kept under. */
export function operatorPages<Item>(key: readonly unknown[], path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: ['operator', ...key],
    initialPageParam: undefined as number | string | undefined,
    queryFn: ({ pageParam }) => operatorList<Item>(path, { ...query, after: pageParam }),
    getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
  });
}

export type Tenant = Schemas['Tenant'];
export type Zone = Schemas['Zone'];
export type Resource = Schemas['Resource'];
export type Credential = Schemas['Credential'];
export type IssuedCredential = Schemas['IssuedCredential'];
export type Lockout = Schemas['Lockout'];
export type SignInLink = Schemas['SignInLink'];
export type InstallationProblem = Schemas['InstallationProblem'];
export type Status = Schemas['Status'];
export type Queues = Schemas['Queues'];
export type Key = Schemas['Key'];
export type ReencryptedBatch = Schemas['ReencryptedBatch'];
export type Retention = Schemas['Retention'];
export type Mail = Schemas['Mail'];
export type OperatorStatistics = Schemas['OperatorStatistics'];
export type ProcessItem = Schemas['Process'];
