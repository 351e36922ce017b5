import { z } from 'zod';
import { key } from './key.ts';
import { cidrs, connectionUrl, oneOf, textLike, wholeNumber, yesNo } from './kinds.ts';
import { secretKeys } from './secret-keys.ts';

/** The keys that API and worker share. Both must be given the same values. */
export const sharedConfig = z.object({
  DATABASE_URL: connectionUrl({
    description: 'PostgreSQL 15 or newer; holds everything that must not be lost.',
    schemes: ['postgres', 'postgresql'],
    example: 'postgres://callout:password@db.internal:5432/callout',
  }),
  DATABASE_POOL_SIZE: wholeNumber({
    description: 'Most database connections one process opens.',
    default: 10,
    min: 2,
    max: 500,
  }),
  REDIS_URL: connectionUrl({
    description: 'Redis 6.2, Valkey 7.2 or newer with `maxmemory-policy noeviction`; wakes the worker, may be emptied.',
    schemes: ['redis', 'rediss'],
    example: 'redis://redis.internal:6379',
  }),
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
      'Private address ranges that callouts may reach. All others are refused; metadata addresses are refused always.',
  }),
  CATALOGUE_DIR: key<string | undefined>({
    description: 'Directory with one JSON file per entity, in place of the catalogue that comes with Callout.',
    accepts: 'a directory',
    whenAbsent: undefined,
    read: (text) => text,
  }),
  LOG_LEVEL: oneOf({
    description: 'Least level that is logged.',
    words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  DRAIN_TIMEOUT_MS: wholeNumber({
    description:
      'Milliseconds that a stopping process may take to finish what is in flight; then it exits with status 1. Keep it below the grace period of whatever stops the process.',
    default: 25_000,
    min: 100,
    max: 600_000,
  }),
});
