import { randomBytes } from 'node:crypto';
import { createCredentialStore } from '@callout/tenancy/credentials';
import type { AuthenticationAttempt } from '@callout/tenancy/authentication-failures';
import { createAuthenticate, createFindPerson, type FindPerson } from '../http/auth/authenticate.ts';
import { createCheckCredential, type CheckCredential } from '../http/auth/check-credential.ts';
import { createCheckSecret } from '../http/auth/check-secret.ts';
import { createFailureCounter } from '../http/auth/failure-counter.ts';
import { createAuthenticationCache } from '../http/auth/authentication-cache.ts';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createRequestLimit } from '../http/limits/request-limit.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { ServeDeps } from '../http/route/exchange.ts';
import type { ApiContext } from '../api-context.ts';
import { bodiesInFlightShare, consoleReadsPerHour } from '../api-limits.ts';
import type { ConsoleWiring } from './wire-console.ts';

/**
 * Of the capacity for all bodies: with the default of 32 MiB a body of 64 KiB is small, and 4 MiB more are for small
 * bodies.
 */
const SMALL_BODY = 1 / 512;
const CAPACITY_FOR_SMALL_BODIES = 1 / 8;

/** Access control: credentials, limits and capacity. */
export function wireHttp(
  { config, database, hasFastWays, limits, log, makeCounter, unsentResponses }: ApiContext,
  authentication: Pick<ConsoleWiring, 'authenticateWith' | 'portalGuard'>,
): ServeDeps & { readonly checkCredential: CheckCredential; readonly findPerson: FindPerson } {
  const credentials = createCredentialStore(database);
  const bodyBytesInFlight = config.MAX_BODY_BYTES * bodiesInFlightShare;
  const nowMs = () => performance.now();
  const cacheKey = randomBytes(32);
  const cached = createAuthenticationCache({ nowMs, cacheKey });
  const checkCredential = createCheckCredential({
    checkSecret: createCheckSecret({ nowMs, cacheKey }),
    findCredential: sharedLookup(
      (attempts: readonly AuthenticationAttempt[]) => credentials.findForAuthentication(attempts),
      ({ address, foldedUserName }) => `${address} ${foldedUserName}`,
    ),
    countFailure: createFailureCounter(database.pool, log),
  });
  const findPerson = createFindPerson({
    isActiveResource: (tenantId, resourceId) => credentials.isActiveResource(tenantId, resourceId),
  });
  return {
    unsentResponses,
    allowedHosts: config.ALLOWED_HOSTS,
    bodyBudget: createTenantBudget(bodyBytesInFlight, {
      unavailable: 'Too many requests are being read: send this one again.',
      tooManyRequests: 'Too many large requests of this tenant are being read.',
      retryAfterS: 1,
      small: {
        most: bodyBytesInFlight * SMALL_BODY,
        capacity: bodyBytesInFlight * CAPACITY_FOR_SMALL_BODIES,
      },
    }),
    requestLimit: createRequestLimit(makeCounter, {
      perHour: config.API_REQUESTS_PER_HOUR,
      consoleReadsPerHour: limits?.consoleReadsPerHour ?? consoleReadsPerHour,
    }),
    checkCredential,
    authenticate: authentication.authenticateWith(
      createAuthenticate({
        checkCredential,
        findPerson,
        authenticationCache: (...signedIn) => cached.keep(...signedIn),
      }),
      findPerson,
    ),
    findPerson,
    portalGuard: authentication.portalGuard,
    recall: (headers, address) => (hasFastWays ? cached.recall(headers, address) : undefined),
  };
}
