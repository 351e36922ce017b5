import { infiniteQueryOptions } from '@tanstack/react-query';
import { createOperatorClient, type OperatorSchemas as Schemas } from '@callout/client';
import { requestOf } from '@callout/domain/operations/operation';
import { type OperationName, operations } from '@callout/domain/operations/operations';
import { pagesQuery } from './client.ts';
import { consoleHeaders } from './session.ts';

/** Where the operator API is, on the operator's port. */
const root = '/operator/v1';

/** A page of a list; `nextAfter` is null on the last page. */
export interface OperatorPage<Item> {
  readonly items: readonly Item[];
  readonly nextAfter: number | string | null;
}

/** The operator API, by the cookie of the session. The methods throw ApiError. */
const client = createOperatorClient({
  baseUrl: globalThis.location.origin + root,
  headers: consoleHeaders,
  retry: false,
});

/** The values of an operation, by the names of the parameters. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;

async function ask<Answer>(name: OperationName, values: Values): Promise<Answer> {
  const { path, query, body } = requestOf(operations[name], values);
  const init = { params: { query }, ...(body !== undefined && { body }) };
  // The path is made from the description, and the page names the schema of the answer.
  const { data } = await client.request(
    operations[name].method.toLowerCase() as 'get',
    path as '/status',
    init as never,
  );
  return data as Answer;
}

/**
 * Has an operation carried out, and resolves with the item of the answer, or with the whole answer. Throws ApiError.
 */
export async function operate<Item>(name: OperationName, values: Values = {}): Promise<Item> {
  const answer = await ask<{ item?: Item }>(name, values);
  return answer.item ?? (answer as Item);
}

/** Asks the operator API for a page of a list. Throws ApiError. */
export function operatorList<Item>(name: OperationName, values: Values = {}): Promise<OperatorPage<Item>> {
  return ask(name, values);
}

/** All of a list of the operator API, page by page. @param key the key of the query. */
export function operatorPages<Item>(key: readonly unknown[], name: OperationName, values: Values = {}) {
  return infiniteQueryOptions({
    queryKey: ['operator', ...key],
    initialPageParam: undefined as number | string | undefined,
    queryFn: ({ pageParam }) => operatorList<Item>(name, { ...values, after: pageParam }),
    getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
  });
}

/** A list of the API of a tenant, such as `Changes`, as an operator reads it. */
export function tenantPages<Item>(tenantId: number, list: string, maxRecords: number) {
  const path = `/tenants/${tenantId}/v1.0/${list}`;
  return pagesQuery(['operator', 'tenant', tenantId, list], async (paging) => {
    const of =
      paging === undefined ? { path, query: { maxRecords } } : { path: `${path}/query/next`, query: { paging } };
    const { data } = await client.request('get', of.path as '/status', { params: { query: of.query } } as never);
    return { data: data as unknown as TenantPage<Item> };
  });
}

interface TenantPage<Item> {
  readonly items: readonly Item[];
  readonly pageDetails: { readonly nextPageUrl?: string | null };
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
