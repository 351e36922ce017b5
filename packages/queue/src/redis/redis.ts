import { connect, type RedisConnection } from './connect.ts';

export interface ConnectionOptions {
  /** One server, or several behind Sentinels or in a Cluster; `readRedisUrl` describes the form. */
  url: string;
  /** Receives every connection error: an unavailable Redis is a warning, never a reason to stop. */
  onError: (error: Error) => void;
}

/** For producers: a command fails at once while Redis is away, so no request ever waits for Redis. */
export function connectProducer({ url, onError }: ConnectionOptions): RedisConnection {
  // A hanging Redis must not delay the sweep: commands not accepted in time are enqueued again.
  return connect(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5_000 }, onError);
}

/** A counter that has not responded by then is counted elsewhere: a request waits for nothing longer. */
const countingTimeoutMs = 500;

/**
 * For counting requests: a command fails at once while Redis is away, and soon when it does not respond. A separate
 * connection, on which a request does not wait behind enqueued commands. The caller sees every failure, so nothing is
 * reported here.
 */
export function connectCounter({ url }: Pick<ConnectionOptions, 'url'>): RedisConnection {
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: countingTimeoutMs };
  return connect(url, options, () => undefined);
}

export interface ConsumerConnectionOptions extends ConnectionOptions {
  /** Called before each new attempt to connect. */
  isWanted: () => boolean;
}

/** For consumers, which wait until Redis is back. */
export function connectConsumer({ url, onError, isWanted }: ConsumerConnectionOptions): RedisConnection {
  return connect(url, { maxRetriesPerRequest: null }, onError, isWanted);
}

const leastVersions = { redis: [6, 2], valkey: [7, 2] } as const;

/**
 * The problems of a Redis server, as sentences; empty without problems. The server must be Redis 6.2 or Valkey 7.2 at
 * least, and must not evict: evicted events wait for the sweep.
 */
export async function checkRedis(redis: RedisConnection): Promise<string[]> {
  const server = fieldsOf(await redis.info('server'));
  const memory = fieldsOf(await redis.info('memory'));
  const isValkey = server.has('valkey_version');
  const version = server.get(isValkey ? 'valkey_version' : 'redis_version') ?? '0.0';
  const [leastMajor, leastMinor] = leastVersions[isValkey ? 'valkey' : 'redis'];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const name = isValkey ? 'Valkey' : 'Redis';
  const problems: string[] = [];
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    problems.push(`${name} ${version} is too old: ${name} ${leastMajor}.${leastMinor} or newer is needed`);
  }
  const policy = memory.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    problems.push(`maxmemory-policy is ${policy}: set it to noeviction, or ${name} throws queued work away`);
  }
  return problems;
}

function fieldsOf(info: string): Map<string, string> {
  return new Map(
    info.split(/\r?\n/u).flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}
