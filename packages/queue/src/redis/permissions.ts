import type { RedisConnection } from './connect.ts';
import { refusalOf } from './refusals.ts';

/** A key with a text, and a channel, with names like the names of Callout. */
export interface ProbedNames {
  readonly key: string;
  readonly channel: string;
}

/** How long the text stays. */
export const keptMs = 60_000;

/**
 * The commands of Callout, and of BullMQ's scripts, tried on a key with a text: they read, or fail since the key holds
 * no list, set, hash or stream. Redis looks at permissions first.
 */
const triedCommands = `info server|set KEY 1 PX ${keptMs}|get KEY|exists KEY|pttl KEY|type KEY|unlink KEY:none|del KEY:none
|pexpire KEY:none 1|zcard KEY|zpopmin KEY|zscore KEY 0|zrem KEY 0|zadd KEY 0 0|zcount KEY 0 0|zrange KEY 0 0|hget KEY 0
|hgetall KEY|hdel KEY 0|hset KEY 0 0|hincrby KEY 0 0|sadd KEY 0|srem KEY 0|smembers KEY|llen KEY|lpush KEY 0|rpush KEY 0
|rpop KEY|lrange KEY 0 0|lrem KEY 0 0|rpoplpush KEY KEY|xadd KEY * 0 0|xlen KEY|eval return(1) 1 KEY|evalsha 0 1 KEY
|publish CHANNEL `;

/** Writes the text, and finds the commands that the user of REDIS_URL may not run. Other errors of Redis say nothing here. */
export async function refusedCommands(redis: RedisConnection, { key, channel }: ProbedNames): Promise<string[]> {
  const refused = await Promise.all(
    triedCommands.split(/\n?\|/u).map(async (words) => {
      const [name = '', ...args] = words.split(' ').map((word) => word.replace('KEY', key).replace('CHANNEL', channel));
      const error: unknown = await redis.call(name, ...args).then(
        () => null,
        (reason: unknown) => reason,
      );
      return error !== null && refusalOf(error)?.reason === 'NOPERM' ? [name] : [];
    }),
  );
  return refused.flat();
}
