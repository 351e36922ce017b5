import { Problem } from '@callout/core/errors';

/** Wrong tokens of one address, and when counting them began. */
interface Failures {
  readonly sinceMs: number;
  count: number;
}

interface WrongTokensDeps {
  /** Milliseconds of any steady clock. */
  readonly now?: () => number;
  readonly limits?: Readonly<Record<'perWindow' | 'windowMs' | 'addresses', number>>;
}

const wrongTokenLimits = {
  /** Wrong tokens of an address that are answered at once; a deployment that has the old token asks so often. */
  perWindow: 20,
  windowMs: 60_000,
  /** Addresses that are counted at a time; beyond that the one that began first is forgotten. */
  addresses: 10_000,
};

/**
 * Slows down those who try out tokens: after 20 wrong ones in a minute an address is refused until the minute is over,
 * also with the right one, or the answer would tell a right guess. Other addresses are served as before.
 * Each process counts for itself, in bounded memory.
 */
export function createWrongTokens({ now = () => performance.now(), limits = wrongTokenLimits }: WrongTokensDeps = {}) {
  // A Map keeps the order of insertion, so the first entry is the one that began first.
  const byAddress = new Map<string, Failures>();

  function current(address: string): Failures | undefined {
    const failures = byAddress.get(address);
    if (failures === undefined || now() - failures.sinceMs < limits.windowMs) return failures;
    byAddress.delete(address);
    return undefined;
  }

  return {
    /** Throws a Problem (429) when there were too many wrong tokens from this address. */
    refuse(address: string): void {
      const failures = current(address);
      if (failures === undefined || failures.count < limits.perWindow) return;
      const leftS = Math.max(1, Math.ceil((failures.sinceMs + limits.windowMs - now()) / 1000));
      throw Problem.tooManyRequests(`Too many wrong tokens from this address. Try again in ${leftS} s.`, leftS);
    },

    /**
     * Counts a wrong token.
     * @returns whether it is the one after which the address is refused.
     */
    count(address: string): boolean {
      const failures = current(address) ?? { sinceMs: now(), count: 0 };
      failures.count += 1;
      if (failures.count === 1) {
        const [first] = byAddress.keys();
        if (byAddress.size >= limits.addresses && first !== undefined) byAddress.delete(first);
        byAddress.set(address, failures);
      }
      return failures.count === limits.perWindow;
    },

    /** How many addresses are counted. */
    size: () => byAddress.size,
  };
}
