import { Problem, type ProblemDetail } from '@callout/domain/problem';
import type { OnUnknownKey } from '@callout/domain/input/fold-keys';
import { noteUnknownKeys, type UnknownName } from '@callout/domain/input/unknown-names';
import type { Query, IncludedFields } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import { parseQuery } from '@callout/domain/query/parse/parse-query';
import type { ApiContext } from '../../api-context.ts';
import { ok, warningsOf, type ApiResponse } from '../../http/api-response.ts';
import type { OperationSchema } from '../../http/operation/operation-schema.ts';
import type { DescribedCollection } from '../../http/operation/collection-operations.ts';
import type { Call, Endpoint, Methods } from '../../http/route/endpoint.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import type { Queried, Rows, Item } from './queried.ts';
import { queryOperations } from './query-operations.ts';

/**
 * The routes of every collection: `GET {path}` for all rows, page by page, and by GET (with `search={json}`) or POST
 * `{path}/query`, `{path}/query/count` and `{path}/query/next?paging={token}`. `otherMethods` are the further methods
 * of the path. Must come before paths with an id in place of `query`.
 */
export function addCollectionRoutes(
  add: AddRoute,
  path: string,
  { queried, described }: { readonly queried: Queried; readonly described: DescribedCollection },
  api: ApiContext,
  otherMethods: Methods = {},
): void {
  const schemas = queryOperations(described);
  const { rowsFor, ...access } = queried;
  const respondWith = (
    schema: OperationSchema,
    respond: (call: Call, rows: Rows) => Promise<ApiResponse>,
  ): Endpoint => ({
    ...access,
    schema,
    handle: async (call) => respond(call, await rowsFor(call)),
  });
  const byGetAndPost = (
    { GET, POST }: { readonly GET: OperationSchema; readonly POST: OperationSchema },
    respond: (call: Call, rows: Rows, queryInput: unknown) => Promise<ApiResponse>,
  ): Methods => ({
    GET: respondWith(GET, (call, rows) => respond(call, rows, searchOf(call))),
    POST: {
      ...respondWith(POST, (call, rows) => respond(call, rows, call.body)),
      maxBodyBytes: api.config.MAX_BODY_BYTES,
      isRead: true,
    },
  });

  add(path, {
    GET: respondWith(schemas.list, (call, rows) => firstPage(api, call, rows, {})),
    ...otherMethods,
  });
  add(
    `${path}/query`,
    byGetAndPost(schemas.query, (call, rows, queryInput) => firstPage(api, call, rows, queryInput)),
  );
  add(
    `${path}/query/count`,
    byGetAndPost(schemas.count, async (call, rows, queryInput) => {
      const { read: query, unknownNames } = readNoting(call, (note) => parseQuery(queryInput, rows.collection, note));
      return ok({ queryCount: await rows.count(query), ...warningsOf(unknownNames) });
    }),
  );
  add(
    `${path}/query/next`,
    byGetAndPost(schemas.next, (call, rows, queryInput) => {
      const { collection } = rows;
      const { paging = '' } = call.query;
      if (paging === '') throw Problem.invalid([noToken]);
      const { read, unknownNames } = readNoting(call, (note) =>
        api.cursors.resume(scopeOf(call, rows), paging, queryInput, collection, note),
      );
      return pageResponse(api, call, rows, { ...read, unknownNames });
    }),
  );
}

const noToken: ProblemDetail = {
  code: 'required',
  field: 'paging',
  message: 'paging is required: call the nextPageUrl or prevPageUrl of a page as it is',
};

/** The query of a GET; without a query everything is selected, as by the path of the collection. */
function searchOf({ query }: Call): unknown {
  const { search } = query;
  if (search === undefined) return {};
  const queryInput = parsed(search);
  if (typeof queryInput === 'object' && queryInput !== null && !Array.isArray(queryInput)) return queryInput;
  const what = queryInput === undefined ? 'valid JSON, percent-encoded' : 'a JSON object';
  const example = '{"Filter":[{"op":"eq","field":"id","value":1}]}';
  throw Problem.invalid(`search must be ${what}, such as ${example}`, 'search');
}

/** Undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The scope of a token. */
function scopeOf({ caller }: Call, { collection }: Rows) {
  return { tenantId: caller.tenantId, collection: collection.name };
}

function firstPage(api: ApiContext, call: Call, rows: Rows, queryInput: unknown): Promise<ApiResponse> {
  const { read, unknownNames } = readNoting(call, (note) => parseQuery(queryInput, rows.collection, note));
  return pageResponse(api, call, rows, { query: read, position: null, unknownNames });
}

/** Reads a query, and refuses unknown keys where the caller is strict. */
function readNoting<T>(call: Call, read: (note: OnUnknownKey) => T): { read: T; unknownNames: readonly UnknownName[] } {
  const { found: unknownProblems, note } = noteUnknownKeys();
  const result = read(note);
  refuseWhenStrict(call, unknownProblems);
  return { read: result, unknownNames: unknownProblems };
}

interface AskedPage {
  readonly query: Query;
  /** Null: the first page. */
  readonly position: Position | null;
  readonly unknownNames: readonly UnknownName[];
}

async function pageResponse(
  api: ApiContext,
  call: Call,
  rows: Rows,
  { query, position: start, unknownNames }: AskedPage,
): Promise<ApiResponse> {
  // Concurrently: a page that waits for the address would stay in memory outside the search slots, which bound their
  // number.
  const [{ items, previous, next }, base] = await Promise.all([rows.page(query, start), api.baseUrlOf(call)]);
  const address = `${base}/${api.config.API_ROOT}/v1.0/${rows.collection.name}/query/next`;
  const urlOf = (position: Position | null) =>
    position && `${address}?paging=${api.cursors.issue(scopeOf(call, rows), query, position)}`;
  return ok({
    items: items.map((item) => pickFields(item, query.includeFields)),
    pageDetails: {
      count: items.length,
      requestCount: query.maxRecords,
      prevPageUrl: urlOf(previous),
      nextPageUrl: urlOf(next),
    },
    ...warningsOf(unknownNames),
  });
}

const UDFS = 'userDefinedFields';

/** The selected fields of an item; null = all fields. */
function pickFields(item: Item, included: IncludedFields | null): Item {
  if (included === null) return item;
  const picked = Object.create(null) as Record<string, unknown>;
  for (const name of included.fields) {
    if (Object.hasOwn(item, name)) picked[name] = item[name];
  }
  const udfs = pickUdfs(item[UDFS], included.udfs);
  if (udfs !== undefined) picked[UDFS] = udfs;
  return picked;
}

function pickUdfs(values: unknown, included: IncludedFields['udfs']): unknown {
  if (included === 'all' || !Array.isArray(values)) return values;
  if (included.length === 0) return undefined;
  const names = new Set(included.map(({ name }) => name));
  return (values as { readonly name: string }[]).filter(({ name }) => names.has(name));
}
