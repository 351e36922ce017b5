import type { IssuedCredential } from '@callout/db/tenants';
import { CannotGoOn } from '../cannot-go-on.ts';

export interface ApiClient {
  /**
   * @param path below `/v1.0`.
   * @throws CannotGoOn when the answer is not 200.
   */
  request(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}

/** Calls the API as any program would. */
export function createApiClient(api: string, { userName, secret, apiIntegrationCode }: IssuedCredential): ApiClient {
  const headers = {
    UserName: userName,
    Secret: secret,
    ApiIntegrationCode: apiIntegrationCode,
    'Content-Type': 'application/json',
  };
  return {
    async request(method, path, body) {
      const response = await fetch(`${api}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      if (response.status !== 200) throw new CannotGoOn(`${method} ${path} was answered ${response.status}: ${answer}`);
      return JSON.parse(answer);
    },
  };
}
