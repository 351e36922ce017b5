import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { Problem } from '@callout/domain/problem';
import { isImportedSecret } from '@callout/domain/secrets/imported-secret';
import { createWithPermit } from '@callout/runtime/concurrency/permits';
import { LRUCache } from 'lru-cache';

/** The stored form of a secret. */
export interface StoredSecret {
  readonly credentialId: number;
  /** SHA-256 of a generated secret; scrypt of an imported secret. */
  readonly secretHash: Uint8Array;
  /** How an imported secret was hashed; null for a generated secret. */
  readonly secretScrypt: string | null;
}

/** Whether a secret is the stored one. Throws a 503 Problem when too many imported secrets are being checked. */
export type CheckSecret = (secret: string, stored: StoredSecret) => Promise<boolean>;

interface CheckSecretDeps {
  /** Monotonic milliseconds, as of `performance.now`. */
  readonly nowMs: () => number;
  /** Random, of the process alone. */
  readonly cacheKey: Uint8Array;
  /** Replaced in tests, which count. */
  readonly checkImported?: typeof isImportedSecret;
}

/** The longest time for which a right secret is accepted without another check. */
const CACHE_MS = 10_000;
const MOST_CACHED = 10_000;
const RETRY_AFTER_S = 1;

/** Each check uses 32 MiB and a thread of the four that file access and name lookups share. */
const limits = { total: 2, perKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 5_000 };

/**
 * Checks secrets. A generated secret costs microseconds. An imported secret costs some hundred milliseconds of a core:
 * few are checked at once, credentials take turns, since guesses at a credential must delay no further credential, and
 * concurrent requests with equal secrets of a credential share a check. Right secrets are cached for 10 seconds, by a
 * digest with a key of the process, which changes with the secret of the credential.
 */
export function createCheckSecret({ nowMs, cacheKey, checkImported = isImportedSecret }: CheckSecretDeps): CheckSecret {
  const withPermit = createWithPermit<number>(limits, () =>
    Problem.unavailable('Too many sign-ins with imported secrets are being checked. Try again.', RETRY_AFTER_S),
  );
  /** Right secrets. Without resolution, ages are by `nowMs` at each look. */
  const right = new LRUCache<string, true>({
    max: MOST_CACHED,
    ttl: CACHE_MS,
    perf: { now: nowMs },
    ttlResolution: 0,
  });
  const underWay = new Map<string, Promise<boolean>>();

  async function check(digest: string, secret: string, stored: StoredSecret, scrypt: string): Promise<boolean> {
    const isRight = await withPermit(stored.credentialId, () =>
      checkImported(secret, { hash: stored.secretHash, scrypt }),
    );
    if (isRight) right.set(digest, true);
    return isRight;
  }

  return async (secret, stored) => {
    const { secretScrypt } = stored;
    if (secretScrypt === null) return timingSafeEqual(hash('sha256', secret, 'buffer'), stored.secretHash);
    const digest = createHmac('sha256', cacheKey)
      .update(`${stored.credentialId} ${secretScrypt} `)
      .update(stored.secretHash)
      .update(secret)
      .digest('base64');
    if (right.get(digest)) return true;
    const checking = underWay.get(digest) ?? check(digest, secret, stored, secretScrypt);
    underWay.set(digest, checking);
    try {
      return await checking;
    } finally {
      underWay.delete(digest);
    }
  };
}

/**
 * Whether two texts are equal, in a time that reveals nothing about either. Hashing first makes the lengths equal,
 * since a comparison would reveal the length, too.
 */
export function sameText(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
