import createFetchClient, { type ClientOptions } from 'openapi-fetch';
import { throwFailures } from './api-error.ts';
import type { components, paths } from './generated/operator-api.ts';
import { retrying, type RetryOptions } from './retry.ts';
import type { ThrowingClient } from './throwing-client.ts';

/** A client of the operator API, typed by path: `operator.GET('/tenants/{tenantId}', …)`. */
export type OperatorClient = ThrowingClient<paths>;

/** The schemas of the operator API by name, such as `OperatorSchemas['Tenant']`. */
export type OperatorSchemas = components['schemas'];

export interface CreateOperatorClientOptions extends ClientOptions {
  /** Ends with the root of the operator API: `http://10.0.0.5:8090/operator/v1`. */
  readonly baseUrl: string;
  /** The `OPERATOR_TOKEN` of the installation. Left out where something else signs requests in. */
  readonly token?: string | undefined;
  /** How requests are repeated; `false`: not at all. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * Opens a client of the operator API of one installation: tenants, resources, credentials, keys, queues and mails. Its
 * methods throw and repeat like the methods of `createClient`.
 */
export function createOperatorClient(options: CreateOperatorClientOptions): OperatorClient {
  const { token, retry, fetch: send = (request) => globalThis.fetch(request), headers, ...rest } = options;
  const client = createFetchClient<paths>({
    ...rest,
    fetch: retry === false ? send : retrying(send, retry),
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string> | undefined),
    },
  });
  client.use(throwFailures);
  return client as OperatorClient;
}
