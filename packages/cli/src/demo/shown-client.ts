import { type CalloutClient, createClient } from '@callout/client';
import type { IssuedCredential } from '@callout/tenancy/tenants';
import type { Output } from '../output/output.ts';

/**
 * A client that prints each request and its response.
 * @param api ends with `/v1.0`.
 */
export function shownClient(api: string, credential: IssuedCredential, out: Output): CalloutClient {
  return createClient({
    baseUrl: api.replace(/\/v1\.0$/u, ''),
    credential,
    async fetch(request) {
      const path = request.url.slice(api.length);
      const body = await request.clone().text();
      out.print(`  ${request.method} ${path}${body === '' ? '' : ` ${body}`}`);
      const response = await fetch(request);
      out.print(out.dim(`  ${response.status} ${await response.clone().text()}`));
      return response;
    },
  });
}
