import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { newToken } from '@callout/tenancy/sessions/session-tokens';
import { type BrowserCall, Browser } from './browser.ts';
import type { TestResponse, TestApi } from '../../fixtures/test-api.ts';

/** A page in a portal, which calls paths below `/v1.0`. */
export interface Portal {
  readonly browser: Browser;
  readonly call: (method: string, path: string, body?: unknown) => Promise<TestResponse>;
}

/** Opens the portal of a resource, or of one of its webhooks. */
export async function openPortal(
  { database, url }: Pick<TestApi, 'database' | 'url'>,
  tenantId: number,
  resourceId: number,
  webhook?: { readonly entityType: string; readonly id: number },
): Promise<Portal> {
  const links = createConsoleLinkStore(database);
  const link = newToken();
  const identity = await links.portalIdentity(tenantId, resourceId, webhook);
  await links.create(link, identity, new Date(Date.now() + 300_000));
  const browser = new Browser(url);
  const { status } = await browser.page('POST', '/console/session', { body: { link } });
  if (status !== 200) throw new Error(`the portal link was answered ${status}`);
  return {
    browser,
    call(method, path, body) {
      const headers = { 'X-Callout-Console': 'portal' };
      const call: BrowserCall = { headers, ...(body !== undefined && { body }) };
      return browser.page(method, `/atservicesrest/v1.0${path}`, call);
    },
  };
}
