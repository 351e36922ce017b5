import { z } from 'zod';
import { oneOf } from '../kinds/kinds.ts';

/** The keys of the SOAP API, which the API process serves. */
export const soapConfig = z.object({
  SOAP: oneOf({
    description: 'Whether the API process serves the SOAP API, version 1.6. See [soap.md](soap.md).',
    words: ['on', 'off'],
    default: 'on',
  }),
});
