import { connect } from '../redis/connect.ts';
import { pullChannel, readRing } from './ring.ts';

export interface PullListenerOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onRing: (webhookKeys: readonly number[]) => void;
  readonly onError: (error: Error) => void;
}

/** Hears which webhooks have something to fetch. */
export interface PullListener {
  /** Whether rings are heard now; connects when it is first asked. */
  isHearing(): boolean;
  close(): void;
}

export function createPullListener({ url, prefix, onRing, onError }: PullListenerOptions): PullListener {
  let connection: ReturnType<typeof connect> | undefined;
  let isSubscribed = false;

  function open(): void {
    connection = connect(url, { maxRetriesPerRequest: null, enableOfflineQueue: false }, onError);
    connection.on('message', (_channel: string, text: string) => {
      const webhookKeys = readRing(text);
      if (webhookKeys !== undefined) onRing(webhookKeys);
    });
    connection.on('close', () => (isSubscribed = false));
    connection.on('ready', () => void subscribe());
  }

  async function subscribe(): Promise<void> {
    try {
      await connection?.subscribe(pullChannel(prefix));
      isSubscribed = true;
    } catch {
      // It went away again, and comes back by its next event.
    }
  }

  return {
    isHearing() {
      if (connection === undefined) open();
      return isSubscribed;
    },
    close: () => connection?.disconnect(),
  };
}
