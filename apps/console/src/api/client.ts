import { createClient, type CalloutClient } from '@callout/client';
import { consoleHeaders } from './session.ts';

/** Before every path of the client's types. */
const documentedRoot = '/v1.0';

const clientAt = (root: string): CalloutClient =>
  createClient({ baseUrl: globalThis.location.origin + root, headers: consoleHeaders, retry: false });

let root = '/atservicesrest';

/** The REST API of this installation, by the cookie of the session. Its methods throw ApiError. */
export let api: CalloutClient = clientAt(root);

/** Points the client to where this installation has its API, such as `/atservicesrest/v1.0`. */
export function setApiRoot(apiRoot: string): void {
  root = apiRoot.slice(0, -documentedRoot.length);
  api = clientAt(root);
}

/** The address of a path of the API, for links; the cookie of the session counts there, except in a portal. */
export const addressOfApi = (path: `${typeof documentedRoot}/${string}`): string => root + path;

/** The token in the address of the next page, which is a path where the API does not know its own; undefined: there is none. */
export function pagingIn(url: string | null | undefined): string | undefined {
  if (url == null) return undefined;
  return new URL(url, globalThis.location.origin).searchParams.get('paging') ?? undefined;
}
