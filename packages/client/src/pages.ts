import type { CalloutClient } from './client.ts';
import type { AllPaths as paths } from './all-paths.ts';
import type { PathOr } from './path-refusal.ts';

/** What an operation answers with 200. */
type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;

/** A row of a page. */
type Row<Operation> = Answer<Operation> extends { items: (infer Item)[]; pageDetails: unknown } ? Item : never;

/** The paths with a method that answers pages. */
type PagedPath<Method extends 'get' | 'post'> = {
  [Path in keyof paths]: paths[Path] extends Record<Method, infer Operation>
    ? [Row<Operation>] extends [never]
      ? never
      : Path
    : never;
}[keyof paths];

type Operation<Path, Method extends 'get' | 'post'> =
  paths[Path & keyof paths] extends Record<Method, infer Found> ? Found : never;

type BodyOf<Found> = Found extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;
type ParametersOf<Found> = Found extends { parameters: { path?: infer PathValues; query?: infer Query } }
  ? { path?: PathValues; query?: Query }
  : never;

interface Page {
  readonly items: unknown[];
  readonly pageDetails: { readonly nextPageUrl: string | null };
}

interface Untyped {
  GET(path: string, init?: object): Promise<{ data?: unknown }>;
  POST(path: string, init?: object): Promise<{ data?: unknown }>;
}

/**
 * Every row that a query finds, page by page as needed: `for await (const webhook of queryAll(client,
 * '/v1.0/CompanyWebhooks/query', { Filter: [] }))`.
 *
 * @param query `MaxRecords` is the size of a page, at most 500.
 * @throws ApiError as the methods of the client do, between rows.
 */
export async function* queryAll<Path extends PagedPath<'post'> | (string & {})>(
  client: CalloutClient,
  path: PathOr<Path, PagedPath<'post'>, paths, 'pages'>,
  query: BodyOf<Operation<Path, 'post'>>,
  parameters?: ParametersOf<Operation<Path, 'post'>>,
): AsyncGenerator<Row<Operation<Path, 'post'>>, void, undefined> {
  const untyped = client as unknown as Untyped;
  yield* rowsOf((next) =>
    untyped.POST(next ?? path, { body: query, ...(next === undefined && { params: parameters }) }),
  );
}

/**
 * Every row of a list, page by page as they are needed:
 * `for await (const callout of listAll(client, '/v1.0/Callouts', { query: { state: 'failed' } }))`.
 *
 * @throws ApiError as the methods of the client do, between rows.
 */
export async function* listAll<Path extends PagedPath<'get'> | (string & {})>(
  client: CalloutClient,
  path: PathOr<Path, PagedPath<'get'>, paths, 'pages'>,
  parameters?: ParametersOf<Operation<Path, 'get'>>,
): AsyncGenerator<Row<Operation<Path, 'get'>>, void, undefined> {
  const untyped = client as unknown as Untyped;
  yield* rowsOf((next) => untyped.GET(next ?? path, next === undefined ? { params: parameters } : {}));
}

async function* rowsOf<Item>(ask: (next?: string) => Promise<{ data?: unknown }>) {
  let next: string | undefined;
  do {
    const { items, pageDetails } = (await ask(next)).data as Page;
    yield* items as Item[];
    next = pageDetails.nextPageUrl === null ? undefined : pathOf(pageDetails.nextPageUrl);
  } while (next !== undefined);
}

/**
 * From the version on: the address may have another host or prefix than the client uses for the API, or be only a path,
 * where the API does not know its address.
 */
function pathOf(pageUrl: string): string {
  const { pathname, search } = new URL(pageUrl, 'http://unused');
  return pathname.slice(pathname.indexOf('/v1.0/')) + search;
}
