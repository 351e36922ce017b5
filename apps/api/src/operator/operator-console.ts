import type { Request, Router } from 'express';
import { Problem } from '@callout/domain/problem';
import { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { operatorTokenVersion } from '@callout/tenancy/sessions/session-tokens';
import type { FoundSession } from '@callout/tenancy/sessions/session.rules';
import type { ApiConfig } from '@callout/runtime/config/api';
import { sessionIsOver } from '../console/authenticate-sessions.ts';
import { consoleApp } from '../console/console-app.ts';
import { refuseCrossOriginRequests } from '../console/same-origin.ts';
import { createSessionCookies } from '../console/session-cookies.ts';
import { requiredTexts } from '../console/session-routes.ts';
import { createSessions } from '../console/sessions.ts';
import type { CheckToken } from './check-token.ts';

/** The console on the operator's port. */
export interface OperatorConsole {
  /** Everything below `/console` there. */
  readonly router: (checkToken: CheckToken) => Router;
  /**
   * Whether the cookie of a request belongs to an operator's session. Throws a Problem: 401 when the session is over,
   * 403 when the request is not of the console.
   */
  readonly isOperator: (request: Request) => Promise<boolean>;
}

interface OperatorConsoleDeps {
  readonly config: Pick<ApiConfig, 'SECRET_KEYS'>;
  readonly token: string;
  readonly version: string;
  readonly database: Pick<Database, 'prisma' | 'transaction'>;
  readonly directory: string;
}

/**
 * Operators sign in with the token of the operator API, here alone: the cookie of operators has a separate name and
 * purpose, unknown on the port of tenants, and cookies of tenants mean nothing here. A new token ends every session of
 * the old token.
 */
export function createOperatorConsole(deps: OperatorConsoleDeps): OperatorConsole {
  const { config, token, version, database, directory } = deps;
  const sessions = createSessions(database);
  // PUBLIC_URL is always the address of another port.
  const publicUrl = undefined;
  const cookies = createSessionCookies(KeyRing.parse(config.SECRET_KEYS), publicUrl);
  const proof = operatorTokenVersion(token);
  const identity = { kind: 'operator', proof } as const;
  const counts = (session: FoundSession) =>
    session.kind === 'operator' && session.proof !== null && Buffer.compare(session.proof, proof) === 0;
  return {
    router: (checkToken) =>
      consoleApp({
        mode: 'operator',
        apiRoot: '/operator/v1',
        version,
        directory,
        portalOrigins: [],
        sessions,
        cookies,
        links: createConsoleLinkStore(database),
        kinds: ['operator'],
        async signIn(body, address) {
          const signInTexts = requiredTexts(body, ['token']);
          if (checkToken(signInTexts.token, address)) return identity;
          throw Problem.unauthorized('This is not the OPERATOR_TOKEN of this installation.');
        },
        limitLinks: (address) => void checkToken('', address),
        counts,
        async describe({ expiresAt }) {
          return { kind: 'operator', isPortal: false, expiresDateTime: expiresAt, apiRoot: '/operator/v1', version };
        },
        publicUrl,
      }),
    async isOperator(request) {
      const brought = cookies.read(request, 'operator');
      if (brought.kind === 'none') return false;
      refuseCrossOriginRequests(request, publicUrl);
      const session = brought.kind === 'token' ? await sessions.use(brought.token) : undefined;
      if (session === undefined || !counts(session)) throw sessionIsOver();
      return true;
    },
  };
}
