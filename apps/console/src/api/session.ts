import { ApiError } from '@callout/client';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';

/** Who is signed in, as `GET /console/session` describes it. */
export type Session = (MemberSession | OperatorSession) & {
  /** The API does not accept it any more: the page waits until the same person has signed in again. */
  readonly hasEnded?: boolean;
};

/** A person of a tenant, signed in with a credential or by a portal link. */
export interface MemberSession {
  readonly kind: 'user' | 'portal';
  /** Signed in by a portal link: only the webhooks of this resource are shown. */
  readonly isPortal: boolean;
  readonly tenant: { readonly id: number; readonly name: string };
  readonly resource: { readonly id: number; readonly email: string };
  /** The name of the credential; null in a portal. */
  readonly userName: string | null;
  readonly role: 'integrator' | 'source' | 'admin';
  readonly rights: {
    readonly canCreateWebhooks: boolean;
    /** Pages that show more than webhooks. */
    readonly canReadTenant: boolean;
    readonly canWriteRecords: boolean;
    readonly canManageResources: boolean;
    readonly canManageUserDefinedFields: boolean;
  };
  /** The one webhook that a portal link was made for. */
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
  /** Whether this address is for the people of tenants or for operators. */
  readonly mode: 'tenant' | 'operator';
  readonly apiRoot: string;
  readonly version: string;
}

/** With what a person signs in: a credential, the operator's token, or a link that counts once. */
export type SignIn =
  | { readonly userName: string; readonly secret: string; readonly apiIntegrationCode: string }
  | { readonly token: string }
  | { readonly link: string };

/** Whether the page stands in a frame of another product. It has its own cookie, and so its own session, there. */
export const isPortal = /^\/console\/portal(?:\/|$)/u.test(globalThis.location.pathname);

/** Where the pages begin. */
export const basePath = isPortal ? '/console/portal' : '/console';

/** Says that a request comes from this page: the API takes no change by cookie without it. */
export const consoleHeaders = { 'X-Callout-Console': isPortal ? 'portal' : '1' };

/** Asks the server of this page for JSON. Throws ApiError for what is no success. */
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

/** The session of this browser; null when there is none. One that ends while a page is open stays, as ended. */
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

/** Whose session it is: a page that one person has open is not shown to another. */
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
export const signIn = (given: SignIn): Promise<Session> => askSession('POST', given);

export const signOut = (): Promise<unknown> => askSession('DELETE');

/** The session of a person of a tenant; undefined for an operator, and while nobody is signed in. */
export function useMember(): MemberSession | undefined {
  const session = useQuery(sessionQuery).data;
  return session == null || session.kind === 'operator' ? undefined : session;
}
