import { Problem } from '@callout/core/errors';
import type { FoundSession } from '@callout/db/console';
import { bringsCredential, type Authenticate, type FindPerson } from '../http/auth/authenticate.ts';
import { roleOf, type Caller } from '../http/auth/caller.ts';
import { isOfPortal, refuseOthersPages } from './own-page.ts';
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
 * Lets the cookie of the console stand in for the headers of a credential. Headers win: a request that brings one of them
 * is judged by its headers alone, wrong ones are 401 though a cookie is there, and no header of the console is asked for.
 */
export function withSessions(byHeaders: Authenticate, deps: SessionAuthenticateDeps): Authenticate {
  const { sessions, cookies, findPerson, publicUrl } = deps;
  return async (headers, address, request, isRepeat = false) => {
    if (request === undefined || headers.cookie === undefined || bringsCredential(headers)) {
      return byHeaders(headers, address);
    }
    const brought = cookies.read(request, isOfPortal(request) ? 'portal' : 'user');
    if (brought.kind === 'none') return byHeaders(headers, address);
    refuseOthersPages(request, publicUrl);
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

/** What is said of every cookie that counts no more, whatever ended it. */
export function sessionIsOver(): Problem {
  return Problem.unauthorized('The console session has ended: sign in again.');
}

/** Who calls in a session; undefined for an operator's, who is no caller of a tenant. */
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
