import { z } from 'zod';
import { key, like } from '../kinds/key.ts';
import { listenHost, wholeNumber } from '../kinds/kinds.ts';

/** The keys of the operator API, which is part of the API process. */
export const operatorConfig = z.object({
  OPERATOR_TOKEN: key<string | undefined>({
    description: 'Bearer token of the operator API; without it there is none. Make one with `openssl rand -hex 32`.',
    accepts: '32 to 1000 visible ASCII characters',
    whenAbsent: undefined,
    isSecret: true,
    read: like(/^[\x21-\x7e]{32,1000}$/),
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
