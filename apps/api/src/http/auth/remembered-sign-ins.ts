import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SignInProof } from '@callout/core/ingest';
import type { Caller } from './caller.ts';

/** Who was let in before with the same headers, and what has to be true for that to count again. */
export interface RememberedSignIn {
  readonly caller: Caller;
  readonly proof: SignInProof;
}

/** Sign-ins of the last seconds, for those who confirm each before anything is done or told. */
export interface RememberedSignIns {
  recall(headers: IncomingHttpHeaders, address: string): RememberedSignIn | undefined;
  keep(headers: IncomingHttpHeaders, address: string, signIn: RememberedSignIn): void;
}

interface RememberedSignInDeps {
  /** Milliseconds that only grow, such as those of `performance.now`. */
  readonly nowMs: () => number;
  /** Random, of this process alone. */
  readonly cacheKey: Uint8Array;
}

interface Kept extends RememberedSignIn {
  readonly untilMs: number;
}

const KEPT_MS = 10_000;
const MOST_KEPT = 10_000;

/**
 * Remembers sign-ins for 10 seconds, by a digest of user name, secret, code and address that means nothing outside this
 * process. A remembered one is no permission: rights are read again for each request, and a commit does so together with
 * all else that it reads. What impersonates is not remembered.
 */
export function createRememberedSignIns({ nowMs, cacheKey }: RememberedSignInDeps): RememberedSignIns {
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
    keep(headers, address, signIn) {
      const digest = digestOf(headers, address);
      if (digest === undefined) return;
      kept.delete(digest);
      kept.set(digest, { ...signIn, untilMs: nowMs() + KEPT_MS });
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}
