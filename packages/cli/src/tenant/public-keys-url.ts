import { createClient } from '@callout/client';
import type { IssuedCredential } from '@callout/tenancy/tenants';

/**
 * Where the API on this machine shows the public keys of a tenant; undefined without keys.
 * @param apiUrl up to and including `/v1.0`.
 */
export async function publicKeysUrl(apiUrl: string, credential: IssuedCredential): Promise<string | undefined> {
  const client = createClient({ baseUrl: apiUrl.replace(/\/v1\.0$/u, ''), credential });
  const [key] = (await client.GET('/v1.0/WebhookKeys')).data.items;
  if (key === undefined) return undefined;
  // PUBLIC_URL may be an address that is reached from elsewhere only.
  return new URL(new URL(key.signingKeysUrl, apiUrl).pathname, apiUrl).href;
}
