import { Problem } from '@callout/domain/problem';
import type { Logger } from '@callout/runtime/log/logger';
import { sameText } from '../http/auth/check-secret.ts';
import { createOwnCounter } from '../http/limits/rate.ts';

/** Whether a token is right. Throws a Problem (429) after too many wrong tokens from the address. */
export type CheckToken = (sentToken: string, address: string) => boolean;

interface CheckTokenDeps {
  readonly log: Pick<Logger, 'warn'>;
  readonly token: string;
  readonly wrong?: ReturnType<typeof createOwnCounter>;
}

/** Wrong tokens of an address with a response at once; a deployment with the old token sends about as many. */
export const MOST_WRONG = 20;

/**
 * Checks tokens, in headers and in the form of the console alike, and slows down guesses: after 20 wrong ones in a
 * minute an address is refused until the minute is over, also with the right token, or the response would confirm a
 * right guess. Further addresses are served as before. Each process counts alone.
 */
export function createCheckToken({
  token,
  log,
  wrong = createOwnCounter({ windowMs: 60_000 }),
}: CheckTokenDeps): CheckToken {
  return (sentToken, address) => {
    const { used, endsInS } = wrong.useOf(address);
    if (used >= MOST_WRONG) {
      throw Problem.tooManyRequests(`Too many wrong tokens from this address. Try again in ${endsInS} s.`, endsInS);
    }
    if (sameText(sentToken, token)) return true;
    if (sentToken !== '' && wrong.add(address).used === MOST_WRONG) {
      log.warn({ address }, 'too many wrong operator tokens: this address is refused for a minute');
    }
    return false;
  };
}
