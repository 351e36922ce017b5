import { key, listOf } from '../kinds/key.ts';
import { yesNo } from '../kinds/kinds.ts';

/** A domain, or all domains below one. */
const DOMAIN = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** The allowed recipients of mail: the API refuses addresses to which the worker would not send. */
export const mailRecipientConfig = {
  MAIL_DOMAINS: key<readonly string[]>({
    description:
      'Domains that mail may be sent to; other addresses are refused when they are written, and get no mail. Not set: all. OPERATOR_MAIL needs no entry.',
    accepts: 'a comma-separated list of domains such as example.com or *.example.com (every domain below it)',
    whenAbsent: [],
    read: (text) => listOf(DOMAIN, 'domain')(text.toLowerCase()),
  }),
  MAIL_CONFIRM: yesNo({
    description:
      'Asks an address that belongs to no resource of the tenant for confirmation before any other mail. Needs PUBLIC_URL.',
    default: false,
  }),
};

/** For `refine`, to require an address for the links of MAIL_CONFIRM. */
export const confirmHasAddress: [
  (config: { readonly PUBLIC_URL: string | undefined }) => boolean,
  { path: string[]; error: string; when: (payload: Payload) => boolean },
] = [
  (config) => config.PUBLIC_URL !== undefined,
  {
    path: ['PUBLIC_URL'],
    error: 'is missing. Set it to the address under which clients reach the API: MAIL_CONFIRM sends links to it.',
    // Also when other keys are wrong: the problem belongs in the same message.
    when: ({ value, issues }) =>
      typeof value === 'object' &&
      value !== null &&
      Reflect.get(value, 'MAIL_CONFIRM') === true &&
      !issues.some(({ path }) => path?.[0] === 'PUBLIC_URL'),
  },
];

/** The settings read so far. */
export interface Payload {
  readonly value: unknown;
  readonly issues: readonly { readonly path?: readonly PropertyKey[] | undefined }[];
}
