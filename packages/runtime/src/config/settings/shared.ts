import { z } from 'zod';
import { key } from '../kinds/key.ts';
import { cidrs, oneOf, textLike, wholeNumber, yesNo } from '../kinds/kinds.ts';
import { mailRecipientConfig } from './mail-recipients.ts';
import { publicUrl, databaseUrl, redisUrl } from '../kinds/addresses.ts';
import { retrySchedule } from '../kinds/duration.ts';
import { secretKeys } from '../kinds/secret-keys.ts';

/** The keys that API and worker share. Both must have the same values. */
export const sharedConfig = z.object({
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: wholeNumber({
    description: 'The most database connections that one process opens.',
    default: 10,
    min: 2,
    max: 500,
  }),
  REDIS_URL: redisUrl(),
  REDIS_PREFIX: textLike({
    description: 'Start of every Redis key, so that several installations can share one Redis.',
    accepts: '1 to 50 letters, digits, `-`, `_` or `.`',
    pattern: /^[A-Za-z0-9_.-]{1,50}$/,
    default: 'callout',
  }),
  SECRET_KEYS: secretKeys(),
  ALLOW_HTTP_TARGETS: yesNo({
    description: 'Lets webhooks have `http:` addresses. Off, only `https:` is accepted.',
    default: false,
  }),
  CALLOUT_ALLOW_CIDRS: cidrs({
    description:
      'Private address ranges that callouts may reach. All others are refused, and metadata addresses always. A range of nearly all addresses, such as `0.0.0.0/0`, is refused at start.',
  }),
  CALLOUT_TIMEOUT_MS: wholeNumber({
    description:
      'Milliseconds from the start of an attempt to the end of the answer headers; a test through the API waits just as long.',
    default: 10_000,
    min: 100,
    max: 300_000,
  }),
  RETRY_SCHEDULE: retrySchedule(),
  DEACTIVATE_AFTER_FAILURES: wholeNumber({
    description: 'Callouts in a row that must fail after all attempts before their webhook is deactivated.',
    default: 25,
    min: 1,
    max: 1_000_000,
  }),
  CALLOUT_THRESHOLD: wholeNumber({
    description:
      'Callouts of one tenant and entity that may begin in any 3,600 consecutive seconds, 0 = no limit; what is above is held and sent later. A tenant can have its own.',
    default: 1500,
    min: 0,
    max: 1_000_000_000,
  }),
  CONSOLE: oneOf({
    description:
      'Whether there is a [console](console.md), for integrators and for operators; give workers the same, since mail links to it.',
    words: ['on', 'off'],
    default: 'on',
  }),
  API_ROOT: textLike({
    description: 'First segment of every path, before `/v1.0`; `atservicesrest` is served beside it.',
    accepts: 'one path segment of letters, digits, `-`, `_` or `.`',
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/,
    default: 'atservicesrest',
  }),
  PUBLIC_URL: publicUrl(),
  ...mailRecipientConfig,
  CATALOGUE_DIR: key<string | undefined>({
    description: 'Directory with one JSON file per entity, in place of the catalogue that comes with Callout.',
    accepts: 'a directory',
    whenAbsent: undefined,
    read: (text) => text,
  }),
  LOG_LEVEL: oneOf({
    description: 'The lowest level that is logged.',
    words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
});
