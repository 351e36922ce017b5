import { Problem } from '@callout/domain/problem';
import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import { bringsCredential, type Authenticate, type FindPerson } from '../http/auth/authenticate.ts';
import { roleOf, type Caller } from '../http/auth/caller.ts';
import { isOfPortal, refuseCrossOriginRequests } from './same-origin.ts';
import type { SessionCookies } from './session-cookies.ts';
import type { Sessions } from './sessions.ts';

export interface SessionAuthenticateDeps {
  readonly sessions: Pick<Sessions, 'use' | 'look'>;
  readonly cookies: SessionCookies;
  readonly findPerson: FindPerson;
  /** PUBLIC_URL, where it is set. */
  readonly publicUrl: string | undefined;
}

/**
 * Accepts the cookie of the console in place of a credential's headers. Headers have priority: a request with such a
 * header is judged by the headers alone, and wrong headers are 401 even beside a valid cookie.
 */
export function withSessions(byHeaders: Authenticate, deps: SessionAuthenticateDeps): Authenticate {
  const { sessions, cookies, findPerson, publicUrl } = deps;
  return async (headers, address, request, isRepeat = false) => {
    if (request === undefined || headers.cookie === undefined || bringsCredential(headers)) {
      return byHeaders(headers, address);
    }
    const brought = cookies.read(request, isOfPortal(request) ? 'portal' : 'user');
    if (brought.kind === 'none') return byHeaders(headers, address);
    refuseCrossOriginRequests(request, publicUrl);
    const find = isRepeat ? sessions.look : sessions.use;
    const session = brought.kind === 'token' ? await find(brought.token) : undefined;
    const caller = session && callerOfSession(session);
    if (caller === undefined) throw sessionIsOver();
    if (caller.portal !== undefined && headers['impersonationresourceid'] !== undefined) {
      throw Problem.forbidden('A portal acts as its own resource only: leave out ImpersonationResourceId.');
    }
    return { ...caller, personId: await findPerson(caller, headers) };
  };
}

/** The problem of every invalid cookie, for any reason. */
export function sessionIsOver(): Problem {
  return Problem.unauthorized('The console session has ended: sign in again.');
}

/** The caller of a session; undefined for an operator's session, which has no tenant. */
export function callerOfSession({ member }: FoundSession): Caller | undefined {
  if (member === undefined) return undefined;
  const { credential, tenantId, resourceId, canCreateWebhooks, apiRequestsPerHour, isMoving, webhookKey } = member;
  return {
    credentialId: credential?.id ?? 0,
    tenantId,
    resourceId,
    personId: resourceId,
    role: credential === undefined ? 'integrator' : roleOf({ credentialId: credential.id, role: credential.role }),
    canCreateWebhooks,
    apiRequestsPerHour,
    isSession: true,
    ...(isMoving && { isMoving }),
    ...(credential === undefined && { portal: { webhookKey } }),
  };
}
