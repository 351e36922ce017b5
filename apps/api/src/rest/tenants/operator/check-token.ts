import type { Logger } from '@callout/runtime/log/logger';
import { sameText } from '../../../http/auth/secret/same-text.ts';
import { createWrongTokens } from './wrong-tokens.ts';

/** Whether a token is the right one. Throws a Problem (429) after too many wrong ones from the address. */
export type CheckToken = (given: string, address: string) => boolean;

interface CheckTokenDeps {
  readonly log: Pick<Logger, 'warn'>;
  readonly token: string;
}

/** Checks tokens, in headers and in the form of the console alike, and slows down guesses. */
export function createCheckToken({ token, log }: CheckTokenDeps): CheckToken {
  const wrongTokens = createWrongTokens();
  return (given, address) => {
    wrongTokens.refuse(address);
    if (sameText(given, token)) return true;
    if (given !== '' && wrongTokens.count(address)) {
      log.warn({ address }, 'too many wrong operator tokens: this address is refused for a minute');
    }
    return false;
  };
}
