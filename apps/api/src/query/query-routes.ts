import { Problem, type ProblemDetail } from '@callout/core/errors';
import { noteUnknownKeys, type OnUnknownKey, type UnknownName } from '@callout/core/input';
import { type Cursors, parseQuery, type Position, type Query } from '@callout/core/query';
import { ok, told, type Answer } from '../http/answer.ts';
import type { FindBaseUrl } from '../http/server/base-url.ts';
import type { OperationSchema } from '../http/operation/operation-schema.ts';
import type { DescribedCollection } from '../http/operation/collection-operations.ts';
import type { Call, Endpoint, Methods } from '../http/route/endpoint.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { refuseWhenStrict } from '../http/route/strict.ts';
import { pickFields } from './pick-fields.ts';
import type { Queried, Rows } from './queried.ts';
import { queryOperations } from './query-operations.ts';

export interface QueryDeps {
  readonly apiRoot: string;
  readonly maxBodyBytes: number;
  readonly cursors: Cursors;
  readonly baseUrlOf: FindBaseUrl;
}

/**
 * What every collection has: `GET {path}` for all of it, page by page, and by GET (with `search={json}`) or POST
 * `{path}/query`, `{path}/query/count` and `{path}/query/next?paging={token}`. `others` are the further methods of the
 * path itself. Must come before paths with an id in the same place.
 */
export function addCollectionRoutes(
  add: AddRoute,
  path: string,
  { queried, described }: { readonly queried: Queried; readonly described: DescribedCollection },
  deps: QueryDeps,
  others: Methods = {},
): void {
  const { maxBodyBytes } = deps;
  const schemas = queryOperations(described);
  const answering = (schema: OperationSchema, answer: (call: Call, rows: Rows) => Promise<Answer>): Endpoint => ({
    roles: queried.roles,
    schema,
    handle: async (call) => answer(call, await queried.rowsFor(call)),
  });
  const byGetAndPost = (
    { GET, POST }: { readonly GET: OperationSchema; readonly POST: OperationSchema },
    answer: (call: Call, rows: Rows, given: unknown) => Promise<Answer>,
  ): Methods => ({
    GET: answering(GET, (call, rows) => answer(call, rows, searchOf(call))),
    POST: { ...answering(POST, (call, rows) => answer(call, rows, call.body)), maxBodyBytes, isRead: true },
  });

  add(path, {
    GET: answering(schemas.list, (call, rows) => firstPage(deps, call, rows, {})),
    ...others,
  });
  add(
    `${path}/query`,
    byGetAndPost(schemas.query, (call, rows, given) => firstPage(deps, call, rows, given)),
  );
  add(
    `${path}/query/count`,
    byGetAndPost(schemas.count, async (call, rows, given) => {
      const { read: query, unknownNames } = readNoting(call, (note) => parseQuery(given, rows.collection, note));
      return ok({ queryCount: await rows.count(query), ...told(unknownNames) });
    }),
  );
  add(
    `${path}/query/next`,
    byGetAndPost(schemas.next, (call, rows, given) => {
      const { collection } = rows;
      const { paging = '' } = call.query;
      if (paging === '') throw Problem.invalid([noToken]);
      const { read, unknownNames } = readNoting(call, (note) =>
        deps.cursors.resume(scopeOf(call, rows), paging, given, collection, note),
      );
      return pageAnswer(deps, call, rows, { ...read, unknownNames });
    }),
  );
}

const noToken: ProblemDetail = {
  code: 'required',
  field: 'paging',
  message: 'paging is required: call the nextPageUrl or prevPageUrl of a page as it is',
};

/** The query that a GET carries; without one it asks for everything, as the collection's own path does. */
function searchOf({ query }: Call): unknown {
  const { search } = query;
  if (search === undefined) return {};
  const given = parsed(search);
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  const what = given === undefined ? 'valid JSON, percent-encoded' : 'a JSON object';
  const example = '{"Filter":[{"op":"eq","field":"id","value":1}]}';
  throw Problem.invalid(`search must be ${what}, such as ${example}`, 'search');
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a token is good for. */
function scopeOf({ caller }: Call, { collection }: Rows) {
  return { tenantId: caller.tenantId, collection: collection.name };
}

function firstPage(deps: QueryDeps, call: Call, rows: Rows, given: unknown): Promise<Answer> {
  const { read, unknownNames } = readNoting(call, (note) => parseQuery(given, rows.collection, note));
  return pageAnswer(deps, call, rows, { query: read, position: null, unknownNames });
}

/** Reads a query, and refuses what it does not know where the caller is strict. */
function readNoting<T>(call: Call, read: (note: OnUnknownKey) => T): { read: T; unknownNames: readonly UnknownName[] } {
  const { found, note } = noteUnknownKeys();
  const result = read(note);
  refuseWhenStrict(call, found);
  return { read: result, unknownNames: found };
}

interface AskedPage {
  readonly query: Query;
  /** Null: the first page. */
  readonly position: Position | null;
  readonly unknownNames: readonly UnknownName[];
}

async function pageAnswer(
  deps: QueryDeps,
  call: Call,
  rows: Rows,
  { query, position: start, unknownNames }: AskedPage,
): Promise<Answer> {
  // Together: a page that waited for its address would be held beyond the search slots, which bound how many are.
  const [{ items, previous, next }, base] = await Promise.all([rows.page(query, start), deps.baseUrlOf(call)]);
  const address = `${base}/${deps.apiRoot}/v1.0/${rows.collection.name}/query/next`;
  const urlOf = (position: Position | null) =>
    position && `${address}?paging=${deps.cursors.issue(scopeOf(call, rows), query, position)}`;
  return ok({
    items: items.map((item) => pickFields(item, query.includeFields)),
    pageDetails: {
      count: items.length,
      requestCount: query.maxRecords,
      prevPageUrl: urlOf(previous),
      nextPageUrl: urlOf(next),
    },
    ...told(unknownNames),
  });
}
