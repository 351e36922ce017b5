import { ApiError } from '@callout/client';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';

/** Who is signed in, as in the answer of `GET /console/session`. */
export type Session = (MemberSession | OperatorSession) & {
  /** The API refuses the session by now: the page waits until the person has signed in again. */
  readonly hasEnded?: boolean;
};

/** A person of a tenant, signed in with a credential or by a portal link. */
export interface MemberSession {
  readonly kind: 'user' | 'portal';
  /** Signed in by a portal link: only the webhooks of the resource are shown. */
  readonly isPortal: boolean;
  readonly tenant: { readonly id: number; readonly name: string };
  readonly resource: { readonly id: number; readonly email: string };
  /** The name of the credential; null in a portal. */
  readonly userName: string | null;
  readonly role: 'integrator' | 'source' | 'admin';
  readonly rights: {
    readonly canCreateWebhooks: boolean;
    /** Pages about more than webhooks. */
    readonly canReadTenant: boolean;
    readonly canWriteRecords: boolean;
    readonly canManageResources: boolean;
    readonly canManageUserDefinedFields: boolean;
  };
  /** The webhook of a portal link for a single webhook. */
  readonly webhook: { readonly entityType: string; readonly webhookID: number } | null;
  readonly expiresDateTime: string;
  /** Before every path of the API, such as `/atservicesrest/v1.0`. */
  readonly apiRoot: string;
  readonly version: string;
  readonly limits: {
    readonly allowsHttpTargets: boolean;
    readonly calloutThreshold: number;
    readonly calloutTimeoutMs: number;
    readonly maxActiveWebhooksPerEntity: number;
    readonly maxBodyBytes: number;
  };
}

export interface OperatorSession {
  readonly kind: 'operator';
  readonly isPortal: false;
  readonly expiresDateTime: string;
  /** `/operator/v1` */
  readonly apiRoot: string;
  readonly version: string;
}

/** What the page must know before anybody is signed in. */
interface ConsoleConfig {
  /** Whether the address is for the people of tenants or for operators. */
  readonly mode: 'tenant' | 'operator';
  readonly apiRoot: string;
  readonly version: string;
}

/** With what a person signs in: a credential, the operator's token, or a link for a single use. */
export type SignIn =
  | { readonly userName: string; readonly secret: string; readonly apiIntegrationCode: string }
  | { readonly token: string }
  | { readonly link: string };

/** Whether the page stands in a frame of another product, where it has a cookie and a session of its own. */
export const isPortal = /^\/console\/portal(?:\/|$)/u.test(globalThis.location.pathname);

/** Where the pages begin. */
export const basePath = isPortal ? '/console/portal' : '/console';

/** Marks a request as a request of the page: the API takes no change by cookie without the mark. */
export const consoleHeaders = { 'X-Callout-Console': isPortal ? 'portal' : '1' };

/** Asks the server of the page for JSON. Throws ApiError for every failure. */
export async function askServer<T>(method: string, path: string, body?: unknown): Promise<T> {
  const hasBody = body !== undefined;
  const response = await fetch(path, {
    method,
    headers: { ...consoleHeaders, Accept: 'application/json', ...(hasBody && { 'Content-Type': 'application/json' }) },
    ...(hasBody && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json().catch(() => null)) as T;
  if (!response.ok) throw new ApiError(response, answer);
  return answer;
}

const askSession = async (method: string, body?: unknown): Promise<Session> =>
  (await askServer<{ item: Session }>(method, '/console/session', body)).item;

/** The session of the browser; null: nobody is signed in. A session that ends while a page is open stays, as ended. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client, queryKey }): Promise<Session | null> => {
    try {
      return await askSession('GET');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return asEnded(client.getQueryData<Session>(queryKey));
      throw error;
    }
  },
  staleTime: 60_000,
});

const asEnded = (session: Session | null | undefined): Session | null =>
  session == null ? null : { ...session, hasEnded: true };

/** The API has refused the session: the shell asks to sign in again. */
export function endSession(queryClient: QueryClient): void {
  queryClient.setQueryData<Session | null>(sessionQuery.queryKey, asEnded);
}

/** Whose session a page belongs to: a page of a person is not shown to another person. */
export const identityOf = (session: Session): string =>
  session.kind === 'operator'
    ? session.kind
    : [session.kind, session.tenant.id, session.resource.id, session.userName, session.role].join(' ');

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => askServer<ConsoleConfig>('GET', '/console/config.json'),
  staleTime: Infinity,
});

/** Throws ApiError when what was given is refused. */
export const signIn = (input: SignIn): Promise<Session> => askSession('POST', input);

export const signOut = (): Promise<unknown> => askSession('DELETE');

/** The session of a person of a tenant; undefined for an operator, and while nobody is signed in. */
export function useMember(): MemberSession | undefined {
  const session = useQuery(sessionQuery).data;
  return session == null || session.kind === 'operator' ? undefined : session;
}
