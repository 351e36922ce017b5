import { createClient, type CalloutClient } from '@callout/client';
import { consoleHeaders } from './session.ts';

/** The REST API of this installation, by the cookie of the session. */
export const api: CalloutClient = createClient({ baseUrl: '/atservicesrest', headers: consoleHeaders });

/** Points the client to where this installation has its API. */
export function setApiRoot(apiRoot: string): void {
  root = `/${apiRoot}`;
}
let root = '/atservicesrest';

api.use({
  onRequest({ request }) {
    const url = new URL(request.url);
    if (root === '/atservicesrest') return undefined;
    url.pathname = url.pathname.replace(/^\/atservicesrest/, root);
    return new Request(url, request);
  },
});
