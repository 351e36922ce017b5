import { z } from 'zod';
import { key, UnreadableValue } from '../kinds/key.ts';
import { listenHost, wholeNumber } from '../kinds/kinds.ts';

const MIN_TOKEN_LENGTH = 32;
const MAX_TOKEN_LENGTH = 1000;

/** The keys of the operator API, which is part of the API process. */
export const operatorConfig = z.object({
  OPERATOR_TOKEN: key<string | undefined>({
    description:
      'Bearer token of the operator API, which manages tenants and credentials. Without it there is no operator API. Generate one with `openssl rand -hex 32`.',
    accepts: `${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} visible ASCII characters`,
    whenAbsent: undefined,
    isSecret: true,
    read: (text) => {
      if (!/^[\x21-\x7e]+$/.test(text)) throw new UnreadableValue();
      if (text.length < MIN_TOKEN_LENGTH || text.length > MAX_TOKEN_LENGTH) throw new UnreadableValue();
      return text;
    },
  }),
  OPERATOR_HOST: listenHost({
    description: 'Address the operator API listens on. Make sure that only operators can reach it.',
    default: '127.0.0.1',
  }),
  OPERATOR_PORT: wholeNumber({
    description: 'Port of the operator API; 0 chooses a free one.',
    default: 8082,
    min: 0,
    max: 65_535,
  }),
});
