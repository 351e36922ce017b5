import { connect } from '../redis/connect.ts';
import { pullChannel, readPullMessage } from './pull-message.ts';

export interface PullListenerOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onNotice: (webhookKeys: readonly number[]) => void;
  readonly onError: (error: Error) => void;
}

/** Receives the webhooks with callouts to fetch. */
export interface PullListener {
  /** Whether notices are received now; connects at the first call. */
  isListening(): boolean;
  close(): void;
}

export function createPullListener({ url, prefix, onNotice, onError }: PullListenerOptions): PullListener {
  let connection: ReturnType<typeof connect> | undefined;
  let isSubscribed = false;

  function open(): void {
    connection = connect(url, { maxRetriesPerRequest: null, enableOfflineQueue: false }, onError);
    connection.on('message', (_channel: string, text: string) => {
      const webhookKeys = readPullMessage(text);
      if (webhookKeys !== undefined) onNotice(webhookKeys);
    });
    connection.on('close', () => (isSubscribed = false));
    connection.on('ready', () => void subscribe());
  }

  async function subscribe(): Promise<void> {
    try {
      await connection?.subscribe(pullChannel(prefix));
      isSubscribed = true;
    } catch {
      // Redis went away again, and comes back with its next event.
    }
  }

  return {
    isListening() {
      if (connection === undefined) open();
      return isSubscribed;
    },
    close: () => connection?.disconnect(),
  };
}
