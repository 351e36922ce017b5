import { connect } from './redis/connect.ts';
import { liveChannel, tenantOfChannel, watchedKey, readLiveResults, type LiveResult } from './live-result.ts';

export interface LiveSubscriberOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onResults: (tenantId: number, results: readonly LiveResult[]) => void;
  /** Called whenever Redis becomes available or unavailable. */
  readonly onReady: (isReady: boolean) => void;
  readonly onError: (error: Error) => void;
}

export interface LiveSubscriber {
  /**
   * Whether results are published from now on. False while Redis is away; the tenant is watched as soon as it is back,
   * and `onReady` is called.
   */
  watch(tenantId: number): Promise<boolean>;
  unwatch(tenantId: number): void;
  close(): void;
}

/** The interval of renewing a watch, and its lifetime: that of a process that dies soon expires. */
const renewEveryMs = 10_000;
const holdsForMs = 30_000;

/** How long the first viewer waits for the connection before it counts as missing. */
const patienceMs = 1_000;

function patience(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, patienceMs, false).unref();
  });
}

/** Receives the results of the callouts of watched tenants. Connects when the first tenant is watched. */
export function createLiveSubscriber(options: LiveSubscriberOptions): LiveSubscriber {
  const { url, prefix, onResults, onReady, onError } = options;
  const watched = new Set<number>();
  const behaviour = { maxRetriesPerRequest: null, enableOfflineQueue: false };
  let connections: { subscriber: ReturnType<typeof connect>; publisher: ReturnType<typeof connect> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wasReady = false;
  let hasBeenReady = false;
  let resolveFirst: (isReady: boolean) => void = () => undefined;
  const firstReady = new Promise<boolean>((resolve) => (resolveFirst = resolve));

  const isReady = () => connections?.subscriber.status === 'ready' && connections.publisher.status === 'ready';

  function open(): NonNullable<typeof connections> {
    if (connections !== undefined) return connections;
    // A connection that has subscribed accepts no other command.
    const subscriber = connect(url, behaviour, onError);
    const publisher = connect(url, { ...behaviour, maxRetriesPerRequest: 1, commandTimeout: 2_000 }, onError);
    connections = { subscriber, publisher };
    subscriber.on('message', (channel: string, text: string) => {
      const tenantId = tenantOfChannel(prefix, channel);
      const results = readLiveResults(text);
      if (tenantId !== undefined && results !== undefined && watched.has(tenantId)) onResults(tenantId, results);
    });
    for (const connection of [subscriber, publisher]) {
      connection.on('ready', () => void changed());
      connection.on('close', () => void changed());
    }
    timer = setInterval(() => void renew(), renewEveryMs);
    timer.unref();
    return connections;
  }

  async function changed(): Promise<void> {
    if (!isReady()) {
      if (wasReady) onReady(false);
      wasReady = false;
      return;
    }
    if (wasReady) return;
    // Tenants that are watched from now on are not among these, so `watch` subscribes them.
    wasReady = true;
    try {
      await subscribeAndRenew([...watched]);
    } catch {
      // Redis went away again, which causes another event.
      wasReady = false;
    }
    if (!wasReady) return;
    hasBeenReady = true;
    resolveFirst(true);
    onReady(true);
  }

  async function subscribeAndRenew(tenantIds: readonly number[]): Promise<void> {
    if (tenantIds.length === 0 || connections === undefined) return;
    await connections.subscriber.subscribe(...tenantIds.map((id) => liveChannel(prefix, id)));
    await renew(tenantIds);
  }

  async function renew(tenantIds: readonly number[] = [...watched]): Promise<void> {
    if (connections?.publisher.status !== 'ready') return;
    const { publisher } = connections;
    const now = Date.now();
    try {
      if (tenantIds.length > 0) {
        await publisher.zadd(watchedKey(prefix), ...tenantIds.flatMap((id) => [now + holdsForMs, String(id)]));
      }
      await publisher.zremrangebyscore(watchedKey(prefix), '-inf', now - holdsForMs);
    } catch (error) {
      onError(error as Error);
    }
  }

  return {
    async watch(tenantId) {
      watched.add(tenantId);
      open();
      if (!wasReady) return hasBeenReady ? false : Promise.race([firstReady, patience()]);
      await subscribeAndRenew([tenantId]);
      return wasReady;
    },
    unwatch(tenantId) {
      watched.delete(tenantId);
      if (connections?.subscriber.status !== 'ready') return;
      connections.subscriber.unsubscribe(liveChannel(prefix, tenantId)).catch(() => undefined);
    },
    close() {
      clearInterval(timer);
      connections?.subscriber.disconnect();
      connections?.publisher.disconnect();
    },
  };
}
