import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { CachedAuthentication } from '@callout/pipeline/ingest/request.rules';
import type { Caller } from './caller.ts';

/** A caller that was authenticated with the same headers before, and the version under which that is still valid. */
export interface CachedCaller {
  readonly caller: Caller;
  readonly proof: CachedAuthentication;
}

/** Authentications of the last seconds. Each is confirmed again before it has any effect. */
export interface AuthenticationCache {
  recall(headers: IncomingHttpHeaders, address: string): CachedCaller | undefined;
  keep(headers: IncomingHttpHeaders, address: string, authentication: CachedCaller): void;
}

interface AuthenticationCacheDeps {
  /** Monotonic milliseconds, such as those of `performance.now`. */
  readonly nowMs: () => number;
  /** Random, of this process alone. */
  readonly cacheKey: Uint8Array;
}

interface Kept extends CachedCaller {
  readonly untilMs: number;
}

const KEPT_MS = 10_000;
const MOST_KEPT = 10_000;

/**
 * Caches authentications for 10 seconds, by a digest of user name, secret, code and address that means nothing outside
 * this process. An entry is no permission: rights are read again for each request, and a commit does so together with
 * its other reads. Impersonation is not cached.
 */
export function createAuthenticationCache({ nowMs, cacheKey }: AuthenticationCacheDeps): AuthenticationCache {
  /** The oldest first. */
  const kept = new Map<string, Kept>();
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
      if (digest === undefined) return undefined;
      const found = kept.get(digest);
      if (found === undefined || found.untilMs > nowMs()) return found;
      kept.delete(digest);
      return undefined;
    },
    keep(headers, address, authentication) {
      const digest = digestOf(headers, address);
      if (digest === undefined) return;
      kept.delete(digest);
      kept.set(digest, { ...authentication, untilMs: nowMs() + KEPT_MS });
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}
