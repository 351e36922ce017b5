import { z } from 'zod';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import type { ListPosition } from '@callout/domain/query/list-cursor';
import type { CursorScope } from '@callout/domain/query/signed-token';
import { maxPageSize } from '@callout/domain/query/parse/query-schema';
import type { LogPage } from '@callout/history/log/log-page';
import type { ApiContext } from '../../api-context.ts';
import { ok, type ApiResponse } from '../../http/api-response.ts';
import type { Role } from '../../http/auth/caller.ts';
import type { PortalAccess } from '../../http/auth/portal-guard.ts';
import type { Call } from '../../http/route/endpoint.ts';
import type { OperationSchema, OperationTemplate } from '../../http/operation/operation-schema.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { pageOf, queryCount, text, whole } from '../../http/operation/wire-types.ts';
import type { Item } from '../query/queried.ts';
import { canonical, judged, readWhole } from '../../http/route/read-parameters.ts';

/** Parameters of a query string; keys are in lower case. */
export type Parameters = Readonly<Record<string, string>>;

/** A list, newest first, with a filter in the query string. */
export interface FilteredList {
  readonly roles: readonly Role[];
  readonly portal?: PortalAccess;
  /** The parameters of the filter, in canonical spelling. */
  readonly parameters: z.ZodObject;
  readonly row: z.ZodType;
  /** The name of the rows, like `callouts`. */
  readonly rows: string;
  /** The name of the rows in methods, like `{One}Callouts`. */
  readonly name: string;
  /** The API's description of the list's operations. */
  readonly described: (template: OperationTemplate) => OperationSchema;
  /** The summary and the description of the list. */
  readonly schema: { readonly list: string; readonly description: string };
  /** Throws a 404 Problem for a missing subject of the path, 400 for an invalid parameter. */
  readonly rowsFor: (call: Call, parameters: Parameters) => Promise<ListRows>;
}

/** The rows that match the parameters of a list. */
export interface ListRows {
  /** The path below `/v1.0` in canonical spelling, without the first slash: paging tokens are bound to the path. */
  readonly name: string;
  readonly page: (maxRecords: number, position: ListPosition | null) => Promise<LogPage<Item>>;
}

export interface CountedRows extends ListRows {
  readonly count: () => Promise<number>;
}

/** A list whose rows can be counted. */
export interface CountedList extends FilteredList {
  readonly schema: FilteredList['schema'] & { readonly count: string };
  readonly rowsFor: (call: Call, parameters: Parameters) => Promise<CountedRows>;
}

const MAX_RECORDS = 'maxRecords';
const maxRecords = whole.min(1).max(maxPageSize).describe('Rows per page, 1 to 500; 500 by default.').optional();
const paging = text.describe('The token of the page, as prevPageUrl or nextPageUrl have it.');

function namesOf({ parameters }: FilteredList): string[] {
  return Object.keys(parameters.shape);
}

/**
 * `GET {path}`, and below `base`: `GET query/count`, and the pages `query/next?paging={token}` by GET or POST. Must
 * come before paths with an id in place of `query`.
 */
export function addFilteredList(add: AddRoute, path: string, base: string, list: FilteredList, api: ApiContext): void {
  const { parameters, described } = list;
  const access = accessOf(list);
  const page = { 200: { description: `One page of ${list.rows}, newest first.`, schema: pageOf(list.row) } };
  add(path, {
    GET: {
      ...access,
      schema: described({
        id: `list${list.name}`,
        summary: list.schema.list,
        description: list.schema.description,
        query: parameters.extend({ [MAX_RECORDS]: maxRecords }),
        responses: page,
      }),
      handle: (call) => firstPage(api, list, call),
    },
  });
  add(`${base}/query/next`, {
    GET: {
      ...access,
      schema: described({
        id: `get${list.name}Page`,
        summary: 'Read another page of a list',
        description: 'Its address is in the pageDetails of the page before or after; the token holds the filters.',
        query: z.object({ paging }),
        responses: page,
      }),
      handle: (call) => anotherPage(api, list, call),
    },
  });
}

/** Beside the list itself, how many rows match, at `/query/count`. */
export function addCountedList(add: AddRoute, path: string, base: string, list: CountedList, api: ApiContext): void {
  addFilteredList(add, path, base, list, api);
  add(`${base}/query/count`, {
    GET: {
      ...accessOf(list),
      schema: list.described({
        id: `count${list.name}`,
        summary: list.schema.count,
        query: list.parameters,
        responses: { 200: { description: 'How many there are.', schema: queryCount } },
      }),
      async handle(call) {
        refuseUnknown(call.query, namesOf(list));
        const rows = await list.rowsFor(call, call.query);
        return ok({ queryCount: await rows.count() });
      },
    },
  });
}

function accessOf({ roles, portal }: FilteredList) {
  return { roles, ...(portal !== undefined && { portal }) };
}

async function firstPage(api: ApiContext, list: FilteredList, call: Call): Promise<ApiResponse> {
  const { query } = call;
  refuseUnknown(query, [...namesOf(list), MAX_RECORDS]);
  return pageResponse(api, call, await list.rowsFor(call, query), query, null);
}

/** A token has the parameters of the first page; parameters beside a token would change the list between pages. */
async function anotherPage(api: ApiContext, list: FilteredList, call: Call): Promise<ApiResponse> {
  const { paging } = call.query;
  // The name shows whether the token is for the list, with any filter.
  const { name } = await list.rowsFor(call, {});
  const { position, parameters } = api.listCursors.resume(scopeOf(call, name), paging);
  return pageResponse(api, call, await list.rowsFor(call, parameters), parameters, position);
}

async function pageResponse(
  api: ApiContext,
  call: Call,
  rows: ListRows,
  parameters: Parameters,
  start: ListPosition | null,
): Promise<ApiResponse> {
  const maxRecords = maxRecordsOf(parameters);
  const { items, previous, next } = await rows.page(maxRecords, start);
  const hasNeighbour = previous !== null || next !== null;
  const base = hasNeighbour ? await api.baseUrlOf(call) : '';
  const urlOf = (position: ListPosition | null) => {
    if (position === null) return null;
    const token = api.listCursors.issue(scopeOf(call, rows.name), { position, parameters: { ...parameters } });
    return `${base}/${api.config.API_ROOT}/v1.0/${rows.name}/query/next?paging=${token}`;
  };
  return ok({
    items,
    pageDetails: {
      count: items.length,
      requestCount: maxRecords,
      prevPageUrl: urlOf(previous),
      nextPageUrl: urlOf(next),
    },
  });
}

function scopeOf({ caller }: Call, name: string): CursorScope {
  return { tenantId: caller.tenantId, collection: name };
}

function maxRecordsOf(parameters: Parameters): number {
  const pageText = canonical(parameters, [MAX_RECORDS])[MAX_RECORDS];
  return judged((problems) => {
    return readWhole(pageText, MAX_RECORDS, 1, problems, maxPageSize) ?? maxPageSize;
  });
}

/** Throws a 400 Problem for unknown parameters: a misspelled filter would silently show everything. */
export function refuseUnknown(query: Parameters, knownParameters: readonly string[]): void {
  const folded = new Set(knownParameters.map((name) => name.toLowerCase()));
  const problems = Object.keys(query)
    .filter((key) => !folded.has(key))
    .map((key): ProblemDetail => {
      const name = key.slice(0, 50);
      return {
        code: 'invalid',
        field: name,
        message: `${name} is not a parameter here: use ${knownParameters.join(', ')}`,
      };
    });
  if (problems.length > 0) throw Problem.invalid(problems);
}
