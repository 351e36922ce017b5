import type { Request } from 'express';
import type { OperationName } from '@callout/domain/operations/operations';
import { Problem } from '@callout/domain/problem';
import type { Page } from '@callout/tenancy/operator/administration/tenant-administration';
import { ok, type ApiResponse } from '../http/api-response.ts';
import { readJsonBody } from '../http/body/json-body.ts';
import { MAX_SMALL_ID, pathId } from '../http/route/path-id.ts';
import { validQuery } from '../http/route/query-keys.ts';
import { hostUrl } from '../http/server/base-url.ts';

/** A request of an operator, as the route sees the parts. */
export interface OperatorCall {
  /** The id behind a placeholder of the path. */
  readonly id: (placeholder: string) => number;
  /** The text behind a placeholder of the path. */
  readonly text: (placeholder: string) => string;
  readonly page: () => Page;
  /** The query of the URL; keys are in lower case. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: () => Promise<unknown>;
  /** Scheme, host and port of the request, when trusted; see `hostUrl`. */
  readonly hostUrl: () => string | undefined;
}

/** The work of an operation. */
export type OperatorHandler = (call: OperatorCall) => Promise<ApiResponse>;

/** The work of some operations, by their names. */
export type Handlers = Partial<Readonly<Record<OperationName, OperatorHandler>>>;

interface CallDeps {
  readonly maxBodyBytes: number;
  /** Hosts that responses may name, besides loopback ones. */
  readonly allowedHosts: readonly string[];
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500;

/**
 * A request for routes; path and body are read on demand. Reading throws Problems: 400 for a query with U+0000, which
 * PostgreSQL refuses.
 */
export function operatorCallOf(request: Request, { maxBodyBytes, allowedHosts }: CallDeps): OperatorCall {
  const query = validQuery(request.query as OperatorCall['query']);
  return {
    id: (placeholder) => pathId(String(request.params[placeholder]), MAX_SMALL_ID),
    text: (placeholder) => String(request.params[placeholder]),
    page: () => ({ after: wholeNumber('after', query['after'] ?? '0', 0, MAX_SMALL_ID), limit: limitOf(query) }),
    query,
    body: () => readJsonBody(request, maxBodyBytes),
    hostUrl: () => hostUrl(request, allowedHosts),
  };
}

/** How many items a page may have. */
export function limitOf({ limit = String(DEFAULT_PAGE_SIZE) }: OperatorCall['query']): number {
  return wholeNumber('limit', limit, 1, MAX_PAGE_SIZE);
}

/** A number of a query or body. Throws a Problem (`invalid`) with the name of the number. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw Problem.invalid(`${name} must be a whole number from ${min} to ${max}.`, name);
}

/** The tenant of a query; null: no tenant. Throws a Problem (`invalid`) for an invalid id. */
export function tenantIdOf({ tenantid }: OperatorCall['query']): number | null {
  return tenantid === undefined ? null : wholeNumber('tenantID', tenantid, 1, MAX_SMALL_ID);
}

/** A page of rows with ids. */
export function listed(
  page: Page,
  list: (page: Page) => Promise<readonly { readonly id: number }[]>,
): Promise<ApiResponse> {
  return pageOf(page, list, ({ id }) => id);
}

/**
 * A page, and where the next page begins: `?after=` the mark of the last item; null after the last page. Items with
 * equal marks come on a single page.
 */
export async function pageOf<Item, SomePage extends { readonly limit: number }>(
  page: SomePage,
  list: (page: SomePage) => Promise<readonly Item[]>,
  markOf: (item: Item) => number | string,
): Promise<ApiResponse> {
  const foundRows = await list({ ...page, limit: page.limit + 1 });
  const last = foundRows[page.limit - 1];
  if (last === undefined || foundRows.length <= page.limit) return ok({ items: foundRows, nextAfter: null });
  const mark = markOf(last);
  return ok({ items: foundRows.slice(0, foundRows.findLastIndex((one) => markOf(one) === mark) + 1), nextAfter: mark });
}
