import createFetchClient, { type ClientOptions } from 'openapi-fetch';
import { findingRoot, tidyApiRoot } from './api-root.ts';
import { type Credential, credentialHeaders } from './credential.ts';
import { throwFailures } from './api-error.ts';
import type { AllPaths } from './all-paths.ts';
import type { components } from './generated/api.ts';
import { addIdempotencyKey } from './idempotency.ts';
import { retrying, type RetryOptions } from './retry.ts';
import type { ThrowingClient } from './throwing-client.ts';

/** A client with a method for each HTTP method, typed by path: `client.GET('/v1.0/CompanyWebhooks/{id}', …)`. */
export type CalloutClient = ThrowingClient<AllPaths>;

/** The schemas of the API by name, such as `Schemas['LoggedCallout']`. */
export type Schemas = components['schemas'];

export interface CreateClientOptions extends ClientOptions {
  /**
   * The API root, `https://callout.example.com/atservicesrest`. The usual root may be left out, and the version, or a page
   * of the console or the documentation, may follow.
   */
  readonly baseUrl: string;
  /** Left out where something else signs requests in, such as the cookie of the console. */
  readonly credential?: Credential | undefined;
  /** How requests are repeated; `false`: not at all. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * Opens a client of one installation. Its methods throw {@link ApiError} for every answer without success, and the
 * error of `fetch` without an answer. Requests that may be repeated are, on 429, 503 and lost connections; writes of
 * records and events therefore have an `Idempotency-Key`.
 */
export function createClient(options: CreateClientOptions): CalloutClient {
  const { credential, retry, fetch: call = (request) => globalThis.fetch(request), headers, ...rest } = options;
  const baseUrl = tidyApiRoot(options.baseUrl);
  const send = findingRoot(call, baseUrl);
  const client = createFetchClient<AllPaths>({
    ...rest,
    baseUrl,
    fetch: retry === false ? send : retrying(send, retry),
    headers: { ...(credential && credentialHeaders(credential)), ...(headers as Record<string, string> | undefined) },
  });
  if (retry !== false) client.use(addIdempotencyKey);
  client.use(throwFailures);
  return client as CalloutClient;
}
