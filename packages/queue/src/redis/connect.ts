import { Cluster, Redis, type ClusterOptions } from 'ioredis';
import { readRedisUrl, type RedisPlace } from './redis-url.ts';

/** A connection to Redis: to one server, found by Sentinels or not, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

/** The options of a connection; its destination is in the URL. */
export interface Behaviour {
  enableOfflineQueue?: boolean;
  maxRetriesPerRequest: number | null;
  commandTimeout?: number;
  /** A connection without a response to a command for this many milliseconds counts as dead. */
  socketTimeout?: number;
}

/** A process that stops while Redis is away would wait that long. */
const disconnectTimeoutMs = 200;
/**
 * Where a network drops packets silently, a dead connection would otherwise stay for a quarter of an hour. Longer than
 * the blocking commands of consumers, which last 10 s at most.
 */
const silenceMs = 15_000;
/** How long all nodes of a Cluster may take to report their slots. */
const slotsTimeoutMs = 2_000;

/**
 * Opens a connection that reconnects by itself for as long as `isWanted`.
 * @param onError receives every connection error.
 * @throws Error when the URL cannot be read.
 */
export function connect(
  url: string,
  behaviour: Behaviour,
  onError: (error: Error) => void,
  isWanted: () => boolean = () => true,
): RedisConnection {
  const place = readRedisUrl(url);
  const retry = (tries: number) => (isWanted() ? Math.min(50 * 2 ** Math.min(tries, 6), 2_000) : null);
  if (place.mode === 'cluster') {
    const cluster = new Cluster([...place.nodes], clusterOptions(place, behaviour, retry));
    cluster.on('error', onError);
    return endsWhenDisconnected(cluster);
  }
  const redis = new Redis(serverOptions(place, behaviour, retry));
  redis.on('error', onError);
  return endsWhenDisconnected(redis);
}

type Retry = (tries: number) => number | null;

/** Common options for one server and for each node of a Cluster. */
function commonOptions({ username, password, tls }: RedisPlace) {
  return {
    disconnectTimeout: disconnectTimeoutMs,
    socketTimeout: silenceMs,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** The options for one server, at an address or found by Sentinels. */
export function serverOptions(place: RedisPlace, behaviour: Behaviour, retry: Retry) {
  const options = {
    ...commonOptions(place),
    ...behaviour,
    db: place.db,
    retryStrategy: retry,
    // After a failover the address may still belong to the old master for a moment: look again.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (place.mode !== 'sentinel') return { ...options, ...place.nodes[0] };
  return {
    ...options,
    sentinels: [...place.nodes],
    name: place.name ?? '',
    sentinelRetryStrategy: retry,
    ...(place.sentinelUsername === undefined ? {} : { sentinelUsername: place.sentinelUsername }),
    ...(place.sentinelPassword === undefined ? {} : { sentinelPassword: place.sentinelPassword }),
    ...(place.tls === undefined ? {} : { sentinelTLS: place.tls, enableTLSForSentinelMode: true }),
  };
}

/** The options for a Cluster. */
export function clusterOptions(place: RedisPlace, behaviour: Behaviour, retry: Retry) {
  const { enableOfflineQueue, ...ofEachNode } = behaviour;
  return {
    redisOptions: { ...commonOptions(place), ...ofEachNode },
    clusterRetryStrategy: retry,
    slotsRefreshTimeout: slotsTimeoutMs,
    ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
    // Nodes are reached by the names that they announce, since certificates are for names and not for addresses.
    ...(place.tls === undefined ? {} : { dnsLookup: keepName }),
  };
}

const keepName: NonNullable<ClusterOptions['dnsLookup']> = (name, found) => found(null, name);

/**
 * The prefix of the keys of queues. A script of BullMQ works on several keys of a queue; a Cluster runs the script when
 * all keys are in one slot, which the part of a key in braces decides.
 */
export function queuePrefix(url: string, prefix: string): string {
  return readRedisUrl(url).mode === 'cluster' ? `{${prefix}}` : prefix;
}

/**
 * ioredis emits no end event when disconnected while waiting for the next attempt to connect, and BullMQ waits for the
 * event (taskforcesh/bullmq#4656): a process stopped while Redis is away would stay until killed.
 */
function endsWhenDisconnected<C extends RedisConnection>(connection: C): C {
  const disconnect = connection.disconnect.bind(connection);
  connection.disconnect = (reconnect = false) => {
    // As before the first attempt: there is no connection that could end by itself.
    if (!reconnect && connection.status === 'reconnecting') connection.status = 'wait';
    disconnect(reconnect);
  };
  // BullMQ makes the second connection by `duplicate`.
  const duplicate = connection.duplicate.bind(connection) as (...args: unknown[]) => RedisConnection;
  connection.duplicate = ((...args: unknown[]) => endsWhenDisconnected(duplicate(...args))) as C['duplicate'];
  return connection;
}
