import { Problem } from '@callout/domain/problem/problem';
import { LRUCache } from 'lru-cache';

/** The wrong tokens of one address in its window. */
interface Failures {
  count: number;
}

interface WrongTokensDeps {
  /** Milliseconds of any steady clock. */
  readonly now?: () => number;
  readonly limits?: Readonly<Record<'perWindow' | 'windowMs' | 'addresses', number>>;
}

const wrongTokenLimits = {
  /** Wrong tokens of an address that get a response at once; a deployment with the old token sends about as many. */
  perWindow: 20,
  windowMs: 60_000,
  /** The most addresses that are counted at a time; beyond it the one that was silent for longest is forgotten. */
  addresses: 10_000,
};

/**
 * Slows down guesses at tokens: after 20 wrong ones in a minute an address is refused until the minute is over, also
 * with the right one, or the response would confirm a right guess. Other addresses are served as before. Each process
 * counts for itself, in bounded memory.
 */
export function createWrongTokens({ now = () => performance.now(), limits = wrongTokenLimits }: WrongTokensDeps = {}) {
  // A window begins with the first wrong token. Without resolution, ages are by `now` at each look.
  const byAddress = new LRUCache<string, Failures>({
    max: limits.addresses,
    ttl: limits.windowMs,
    perf: { now },
    ttlResolution: 0,
  });

  return {
    /** Throws a Problem (429) when there were too many wrong tokens from this address. */
    refuse(address: string): void {
      const failures = byAddress.get(address);
      if (failures === undefined || failures.count < limits.perWindow) return;
      const leftS = Math.max(1, Math.ceil(byAddress.getRemainingTTL(address) / 1000));
      throw Problem.tooManyRequests(`Too many wrong tokens from this address. Try again in ${leftS} s.`, leftS);
    },

    /**
     * Counts a wrong token.
     * @returns whether it is the one after which the address is refused.
     */
    count(address: string): boolean {
      const failures = byAddress.get(address) ?? { count: 0 };
      failures.count += 1;
      if (failures.count === 1) byAddress.set(address, failures);
      return failures.count === limits.perWindow;
    },

    /** How many addresses are counted. */
    size: () => byAddress.size,
  };
}
