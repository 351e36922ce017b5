import { z } from 'zod';
import { oneOf, textLike } from '../kinds/kinds.ts';

/** The keys of the SOAP API, which the API process serves. */
export const soapConfig = z.object({
  SOAP: oneOf({
    description: 'Whether the API process serves the SOAP API, version 1.6. See [soap.md](soap.md).',
    words: ['on', 'off'],
    default: 'on',
  }),
  SOAP_ROOT: textLike({
    description: 'First segment of the paths of the SOAP API, before `/1.6/atws.asmx`.',
    accepts: 'one path segment of letters, digits, `-`, `_` or `.`',
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/,
    default: 'atservices',
  }),
});
