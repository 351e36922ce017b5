import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisConnection } from './connect.ts';
import { refusalOf } from './refusals.ts';

/** A start does not wait longer for a Redis that is away: it can do without. */
const patienceMs = 2_000;

/**
 * Runs a harmless command of each kind that Callout and BullMQ use.
 * @param names a key and a channel as Callout uses them.
 * @throws with a sentence when the user of REDIS_URL may not run one of them. Other errors say nothing here.
 */
export async function requirePermissions(
  redis: RedisConnection,
  firstAttempt: Promise<void>,
  { key, channel }: { readonly key: string; readonly channel: string },
): Promise<void> {
  const patience = new AbortController();
  await Promise.race([firstAttempt, sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  if (redis.status !== 'ready') return;
  const commands = [
    ['info', 'server'],
    ['set', key, '1', 'PX', '1'],
    ['get', key],
    ['eval', 'return redis.call("ttl", KEYS[1])', '1', key],
    ['publish', channel, ''],
  ];
  const refused = await Promise.all(
    commands.map(async ([name = '', ...args]) => {
      const error: unknown = await redis.call(name, ...args).then(
        () => null,
        (reason: unknown) => reason,
      );
      return error !== null && refusalOf(error)?.reason === 'NOPERM' ? [name] : [];
    }),
  );
  const names = refused.flat();
  if (names.length > 0) {
    throw new Error(
      `its user may not use ${names.join(', ')} with names such as ${key}: docs/deploying.md lists the permissions that it needs`,
    );
  }
}
