import createFetchClient, { type Client, type ClientOptions, type Middleware } from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { components, paths } from './generated/api.d.ts';

export { ApiError } from './api-error.ts';

/** A client with a method for each HTTP method, typed by path: `client.GET('/v1.0/CompanyWebhooks/{id}', …)`. */
export type CalloutClient = Client<paths>;

/** The schemas of the API by name, such as `Schemas['LoggedCallout']`. */
export type Schemas = components['schemas'];

/** Every answer that is no success is thrown. */
const throwFailures: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const text = await response.text();
    throw new ApiError(response, jsonOf(text));
  },
};

/**
 * Opens a client of one installation. Its methods throw `ApiError` for every answer that is no success, and what `fetch`
 * throws when there is no answer.
 * @param options `baseUrl` ends with the API root, such as `https://callout.example.com/atservicesrest`; `headers` holds
 *   the credential: `UserName`, `Secret` and `ApiIntegrationCode`.
 */
export function createClient(options: ClientOptions): CalloutClient {
  const client = createFetchClient<paths>(options);
  client.use(throwFailures);
  return client;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
