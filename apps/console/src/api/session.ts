import { ApiError } from '@callout/client';
import { queryOptions } from '@tanstack/react-query';

/** Who is signed in, as `GET /console/session` tells it. */
export type Session = TenantSession | OperatorSession;

export interface TenantSession {
  readonly kind: 'tenant';
  readonly tenant: { readonly id: number; readonly name: string };
  readonly resource: { readonly id: number; readonly email: string };
  readonly userName: string;
  readonly role: 'integrator' | 'source' | 'admin';
  /** First segment of every path of the API. */
  readonly apiRoot: string;
  readonly version: string;
  /** Signed in by a portal link: only the webhooks of this resource are shown. */
  readonly isPortal: boolean;
}

export interface OperatorSession {
  readonly kind: 'operator';
  readonly version: string;
}

/** What a person signs in with. */
export interface Credential {
  readonly userName: string;
  readonly secret: string;
  readonly integrationCode: string;
}

const path = '/console/session';

/** Says that a request comes from this page: the API takes no change by cookie without it. */
export const consoleHeaders = { 'X-Callout-Console': '1' };

async function ask(method: string, body?: unknown): Promise<Session | null> {
  const response = await fetch(path, {
    method,
    headers: {
      ...consoleHeaders,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json().catch(() => null)) as Session | null;
  if (!response.ok) throw new ApiError(response, answer);
  return answer;
}

/** The session of this browser; null when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    try {
      return await ask('GET');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** @throws ApiError when the credential is refused. */
export const signIn = (credential: Credential | { operatorToken: string } | { link: string }) =>
  ask('POST', credential);

export const signOut = () => ask('DELETE');
