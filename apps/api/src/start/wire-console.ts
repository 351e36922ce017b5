import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Router } from 'express';
import { Problem } from '@callout/domain/problem';
import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { credentialVersionOf } from '@callout/tenancy/sessions/session-tokens';
import { mayUseConsole } from '@callout/tenancy/sessions/session.rules';
import { findWebhookOwner } from '@callout/tenancy/sessions/webhook-owner';
import type { Authenticate, FindPerson } from '../http/auth/authenticate.ts';
import { callerOf } from '../http/auth/caller.ts';
import type { CheckCredential } from '../http/auth/check-credential.ts';
import { createPortalGuard, type PortalGuard } from '../http/auth/portal-guard.ts';
import type { AddressLimit } from '../http/limits/rate.ts';
import type { RequestLimit } from '../http/limits/request-limit.ts';
import { withSessions } from '../console/authenticate-sessions.ts';
import { consoleApp } from '../console/console-app.ts';
import { consoleDirectory } from '../console/console-files.ts';
import { describeMemberSession } from '../console/member-session.ts';
import { createSessionCookies } from '../console/session-cookies.ts';
import { requiredTexts, type SessionRouteDeps } from '../console/session-routes.ts';
import { createSessions, type Sessions } from '../console/sessions.ts';
import type { ApiContext } from '../api-context.ts';

interface SignInDeps {
  readonly checkCredential: CheckCredential;
  readonly requestLimit: RequestLimit;
  /** Limits endpoints without credentials that read the database. */
  readonly addressLimit: AddressLimit;
}

/** The part of the console that the API serves. */
export interface ConsoleWiring {
  /** Whether the console is on and the page is built. */
  readonly isBuilt: boolean;
  readonly sessions: Sessions;
  readonly authenticateWith: (byHeaders: Authenticate, findPerson: FindPerson) => Authenticate;
  readonly portalGuard: PortalGuard;
  /** Everything below `/console`; undefined where the console is switched off. */
  readonly router: (deps: SignInDeps) => Router | undefined;
}

/** Sessions, and access by them. With CONSOLE=off no cookie is valid. */
export function wireConsole(context: ApiContext): ConsoleWiring {
  const { build, config, database, keyRing } = context;
  const publicUrl = config.PUBLIC_URL;
  const isOn = config.CONSOLE === 'on';
  const directory = context.consoleDirectory ?? consoleDirectory;
  const sessions = createSessions(database);
  const cookies = createSessionCookies(keyRing, publicUrl);
  return {
    isBuilt: isOn && existsSync(path.join(directory, 'index.html')),
    sessions,
    authenticateWith: (byHeaders, findPerson) =>
      isOn ? withSessions(byHeaders, { sessions, cookies, findPerson, publicUrl }) : byHeaders,
    portalGuard: createPortalGuard({
      findWebhookOwner: (tenantId, entityType, id) => findWebhookOwner(database, tenantId, entityType, id),
    }),
    router({ addressLimit, ...deps }) {
      if (!isOn) return undefined;
      return consoleApp({
        mode: 'tenant',
        apiRoot: `/${config.API_ROOT}/v1.0`,
        version: build,
        directory,
        portalOrigins: config.CONSOLE_PORTAL_ORIGINS,
        sessions,
        cookies,
        links: createConsoleLinkStore(database),
        kinds: ['user', 'portal'],
        signIn: signInWith(deps),
        limitLinks: addressLimit,
        counts: ({ kind }) => kind !== 'operator',
        describe: describeMemberSession(context),
        publicUrl,
      });
    },
  };
}

/** With a credential, by the rules of every request with a credential. */
function signInWith({ checkCredential, requestLimit }: Omit<SignInDeps, 'addressLimit'>): SessionRouteDeps['signIn'] {
  return async (body, address) => {
    const signInTexts = requiredTexts(body, ['userName', 'secret', 'apiIntegrationCode']);
    const credential = await checkCredential(signInTexts, address);
    const { tenantId, resourceId, credentialId } = credential;
    const caller = callerOf(credential);
    await requestLimit.count(caller);
    if (!mayUseConsole(caller.role)) {
      throw Problem.forbidden(
        'A credential with the role source may not sign in to the console. It needs the role integrator or admin.',
      );
    }
    return { kind: 'user', tenantId, resourceId, credentialId, proof: credentialVersionOf(credential) };
  };
}
