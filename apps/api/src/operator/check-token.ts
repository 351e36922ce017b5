import { Problem } from '@callout/domain/problem';
import type { Logger } from '@callout/runtime/log/logger';
import { sameText } from '../http/auth/check-secret.ts';
import { createOwnCounter } from '../http/limits/rate.ts';

/** Whether a token is the right one. Throws a Problem (429) after too many wrong ones from the address. */
export type CheckToken = (given: string, address: string) => boolean;

interface CheckTokenDeps {
  readonly log: Pick<Logger, 'warn'>;
  readonly token: string;
  readonly wrong?: ReturnType<typeof createOwnCounter>;
}

/** Wrong tokens of an address that get a response at once; a deployment with the old token sends about as many. */
export const MOST_WRONG = 20;

/**
 * Checks tokens, in headers and in the form of the console alike, and slows down guesses: after 20 wrong ones in a
 * minute an address is refused until the minute is over, also with the right one, or the response would confirm a right
 * guess. Other addresses are served as before. Each process counts for itself.
 */
export function createCheckToken({
  token,
  log,
  wrong = createOwnCounter({ windowMs: 60_000 }),
}: CheckTokenDeps): CheckToken {
  return (given, address) => {
    const { used, endsInS } = wrong.useOf(address);
    if (used >= MOST_WRONG) {
      throw Problem.tooManyRequests(`Too many wrong tokens from this address. Try again in ${endsInS} s.`, endsInS);
    }
    if (sameText(given, token)) return true;
    if (given !== '' && wrong.add(address).used === MOST_WRONG) {
      log.warn({ address }, 'too many wrong operator tokens: this address is refused for a minute');
    }
    return false;
  };
}
