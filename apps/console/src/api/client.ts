import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import { type CalloutClient, createClient } from '@callout/client';
import { createConditionalFetch } from './conditional-fetch.ts';
import { consoleHeaders } from './session.ts';

/** Before every path of the client's types. */
const documentedRoot = '/v1.0';

const clientAt = (root: string): CalloutClient =>
  createClient({
    baseUrl: globalThis.location.origin + root,
    headers: consoleHeaders,
    retry: false,
    fetch: createConditionalFetch((request) => globalThis.fetch(request)),
  });

let root = '/atservicesrest';

/** The REST API of the installation, by the cookie of the session. The methods throw ApiError. */
export let api: CalloutClient = clientAt(root);

/** Points the client to the address of the API, such as `/atservicesrest/v1.0`. */
export function setApiRoot(apiRoot: string): void {
  root = apiRoot.slice(0, -documentedRoot.length);
  api = clientAt(root);
}

/** The address of a path of the API, for links; the cookie of the session counts there, except in a portal. */
export const addressOfApi = (path: `${typeof documentedRoot}/${string}`): string => root + path;

interface Page {
  readonly pageDetails: { readonly nextPageUrl?: string | null };
}

/** A list of the API, page by page. @param read reads the page with a token; undefined: the first page. */
export function pagesQuery<Data extends Page>(
  queryKey: QueryKey,
  read: (paging: string | undefined) => Promise<{ readonly data: Data }>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => (await read(pageParam)).data,
    getNextPageParam: ({ pageDetails }) => pagingIn(pageDetails.nextPageUrl),
  });
}

/**
 * The token in the address of the next page, which is a path where the API does not know its own address; undefined:
 * there is no next page.
 */
function pagingIn(url: string | null | undefined): string | undefined {
  if (url == null) return undefined;
  return new URL(url, globalThis.location.origin).searchParams.get('paging') ?? undefined;
}
