import { Redis } from 'ioredis';

/** Commands that a server has run so far, also those inside scripts, by name. */
export type RedisCommands = ReadonlyMap<string, number>;

/** Reads the server's own count. Another installation on the same server is counted too. */
export async function readRedisCommands(url: string): Promise<RedisCommands> {
  const redis = new Redis(url);
  try {
    return parseCommandStats(await redis.info('commandstats'));
  } finally {
    redis.disconnect();
  }
}

/** Reads lines such as `cmdstat_evalsha:calls=12,usec=340,…`; what only watches is left out. */
export function parseCommandStats(info: string): RedisCommands {
  const counts = [...info.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)].map(
    ([, name = '', calls]) => [name, Number(calls)] as const,
  );
  return new Map(counts.filter(([name]) => name !== 'info'));
}

/** How many were run in between. */
export function commandsBetween(before: RedisCommands, after: RedisCommands): number {
  let calls = 0;
  for (const [name, count] of after) calls += count - (before.get(name) ?? 0);
  return calls;
}
