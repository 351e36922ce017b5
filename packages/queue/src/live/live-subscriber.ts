import { connect } from '../redis/connect.ts';
import { liveChannel, tenantOfChannel, watchedKey } from './live-keys.ts';
import { readLiveResults, type LiveResult } from './live-result.ts';

export interface LiveSubscriberOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onResults: (tenantId: number, results: readonly LiveResult[]) => void;
  /** Told each time when Redis goes away or comes back. */
  readonly onReady: (isReady: boolean) => void;
  readonly onError: (error: Error) => void;
}

export interface LiveSubscriber {
  /**
   * Whether what happens from now on is told. False while Redis is away; the tenant is watched then as soon as it is back,
   * and `onReady` says so.
   */
  watch(tenantId: number): Promise<boolean>;
  unwatch(tenantId: number): void;
  close(): void;
}

/** Watching is said again so often, and holds as long as the latter: a process that dies is soon forgotten. */
const sayEveryMs = 10_000;
const holdsForMs = 30_000;

/** How long the first who watches waits for the connection before the answer is that there is none. */
const patienceMs = 1_000;

function patience(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, patienceMs, false).unref();
  });
}

/** Hears what workers tell of the callouts of tenants, as long as these are watched. Connects when the first one is. */
export function createLiveSubscriber(options: LiveSubscriberOptions): LiveSubscriber {
  const { url, prefix, onResults, onReady, onError } = options;
  const watched = new Set<number>();
  const behaviour = { maxRetriesPerRequest: null, enableOfflineQueue: false };
  let connections: { hears: ReturnType<typeof connect>; says: ReturnType<typeof connect> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wasReady = false;
  let hasBeenReady = false;
  let tellFirst: (isReady: boolean) => void = () => undefined;
  const firstReady = new Promise<boolean>((resolve) => (tellFirst = resolve));

  const isReady = () => connections?.hears.status === 'ready' && connections.says.status === 'ready';

  function open(): NonNullable<typeof connections> {
    if (connections !== undefined) return connections;
    // One that has subscribed takes no other command.
    const hears = connect(url, behaviour, onError);
    const says = connect(url, { ...behaviour, maxRetriesPerRequest: 1, commandTimeout: 2_000 }, onError);
    connections = { hears, says };
    hears.on('message', (channel: string, text: string) => {
      const tenantId = tenantOfChannel(prefix, channel);
      const results = readLiveResults(text);
      if (tenantId !== undefined && results !== undefined && watched.has(tenantId)) onResults(tenantId, results);
    });
    for (const connection of [hears, says]) {
      connection.on('ready', () => void changed());
      connection.on('close', () => void changed());
    }
    timer = setInterval(() => void say(), sayEveryMs);
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
    // Those who begin to watch from now on are not among these, so `watch` does it for them.
    wasReady = true;
    try {
      await hearAndSay([...watched]);
    } catch {
      // It went away again, and says so by its next event.
      wasReady = false;
    }
    if (!wasReady) return;
    hasBeenReady = true;
    tellFirst(true);
    onReady(true);
  }

  async function hearAndSay(tenantIds: readonly number[]): Promise<void> {
    if (tenantIds.length === 0 || connections === undefined) return;
    await connections.hears.subscribe(...tenantIds.map((id) => liveChannel(prefix, id)));
    await say(tenantIds);
  }

  async function say(tenantIds: readonly number[] = [...watched]): Promise<void> {
    if (connections?.says.status !== 'ready') return;
    const { says } = connections;
    const now = Date.now();
    try {
      if (tenantIds.length > 0) {
        await says.zadd(watchedKey(prefix), ...tenantIds.flatMap((id) => [now + holdsForMs, String(id)]));
      }
      await says.zremrangebyscore(watchedKey(prefix), '-inf', now - holdsForMs);
    } catch (error) {
      onError(error as Error);
    }
  }

  return {
    async watch(tenantId) {
      watched.add(tenantId);
      open();
      if (!wasReady) return hasBeenReady ? false : Promise.race([firstReady, patience()]);
      await hearAndSay([tenantId]);
      return wasReady;
    },
    unwatch(tenantId) {
      watched.delete(tenantId);
      if (connections?.hears.status !== 'ready') return;
      connections.hears.unsubscribe(liveChannel(prefix, tenantId)).catch(() => undefined);
    },
    close() {
      clearInterval(timer);
      connections?.hears.disconnect();
      connections?.says.disconnect();
    },
  };
}
