import { createClient, type CalloutClient } from '@callout/client';
import { consoleHeaders } from './session.ts';

/** As the types of the client have it; the paths begin with it. */
const documentedRoot = '/v1.0';
let root = '/atservicesrest/v1.0';

/** Points the client to where this installation has its API, such as `/atservicesrest/v1.0`. */
export function setApiRoot(apiRoot: string): void {
  root = apiRoot;
}

/** The REST API of this installation, by the cookie of the session. Its methods throw ApiError. */
export const api: CalloutClient = createClient({ baseUrl: globalThis.location.origin, headers: consoleHeaders });

api.use({
  onRequest({ request }) {
    const url = new URL(request.url);
    url.pathname = root + url.pathname.slice(documentedRoot.length);
    return new Request(url, request);
  },
});
