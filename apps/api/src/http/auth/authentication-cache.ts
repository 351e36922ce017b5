import type { CachedAuthentication } from '@callout/pipeline/ingest/request.rules';
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';

/**
 * A caller that was authenticated with equal headers before, and the version under which the authentication is still
 * valid.
 */
export interface CachedCaller {
  readonly caller: Caller;
  readonly proof: CachedAuthentication;
}

/** Authentications of the last seconds. Each entry is confirmed again before the request has any effect. */
export interface AuthenticationCache {
  recall(headers: IncomingHttpHeaders, address: string): CachedCaller | undefined;
  keep(headers: IncomingHttpHeaders, address: string, authentication: CachedCaller): void;
}

interface AuthenticationCacheDeps {
  /** Monotonic milliseconds, as of `performance.now`. */
  readonly nowMs: () => number;
  /** Random, of the process alone. */
  readonly cacheKey: Uint8Array;
}

const KEPT_MS = 10_000;
const MOST_KEPT = 10_000;

/**
 * Caches authentications for 10 seconds, by a digest of user name, secret, code and address, with a key of the process.
 * An entry is no permission: rights are read again for each request, and a commit reads them with the rows of the
 * request. Impersonation is not cached. Without this fast way the service takes 13 % more CPU time at 200 single events
 * a second. `cached-authentication.test.ts` makes every change that ends a right and checks the next response;
 * `FAST_WAYS=off` turns the cache off.
 */
export function createAuthenticationCache({ nowMs, cacheKey }: AuthenticationCacheDeps): AuthenticationCache {
  // Without resolution, ages are by `nowMs` at each look.
  const kept = new LRUCache<string, CachedCaller>({
    max: MOST_KEPT,
    ttl: KEPT_MS,
    perf: { now: nowMs },
    ttlResolution: 0,
  });
  const prefix = Buffer.from(cacheKey).toString('base64');

  function digestOf(headers: IncomingHttpHeaders, address: string): string | undefined {
    const { username, secret, apiintegrationcode: code, impersonationresourceid: impersonated } = headers;
    if (impersonated !== undefined || username === undefined || secret === undefined || code === undefined) {
      return undefined;
    }
    // No header has a line break.
    return hash('sha256', `${prefix}\n${String(username)}\n${String(secret)}\n${String(code)}\n${address}`, 'base64');
  }

  return {
    recall(headers, address) {
      const digest = digestOf(headers, address);
      return digest === undefined ? undefined : kept.peek(digest);
    },
    keep(headers, address, authentication) {
      const digest = digestOf(headers, address);
      if (digest !== undefined) kept.set(digest, authentication);
    },
  };
}

/** A recent authentication, which the commit of the request has to confirm. */
export interface UnconfirmedAuthentication {
  readonly proof: CachedAuthentication;
  /**
   * - `open`: no commit has been started.
   * - `asked`: a commit has been started and has not ended, or the outcome is unknown.
   * - `confirmed`: the authentication is valid, and the commit has decided about the request.
   * - `stale`: the credential has changed. The commit has done nothing.
   */
  state: 'open' | 'asked' | 'confirmed' | 'stale';
}

/** An authentication of the present request: a commit confirms even a fresh one, since reading a body may take long. */
export function freshAuthentication(
  { isIngest }: { readonly isIngest?: true },
  { proof }: { readonly proof?: CachedAuthentication },
): UnconfirmedAuthentication | undefined {
  return isIngest === true && proof !== undefined ? { proof, state: 'open' } : undefined;
}
