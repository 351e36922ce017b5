import { type RedisConnection, connect } from './redis/connect.ts';

/** The channel for webhooks with callouts to fetch. */
export const pullChannel = (prefix: string): string => `${prefix}:pull`;

/** A longer text was not written by Callout. */
const maxMessageLength = 100_000;
/** This many keys of the maximum length are still shorter. */
const keysPerMessage = 5_000;

/** The messages for webhooks: one message for a few thousand webhooks. */
export function writePullMessages(webhookKeys: readonly number[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < webhookKeys.length; at += keysPerMessage)
    messages.push(webhookKeys.slice(at, at + keysPerMessage).join(','));
  return messages;
}

/** The keys in a message; undefined when it is invalid: every program with access to Redis can publish there. */
export function readPullMessage(text: string): number[] | undefined {
  if (text.length > maxMessageLength || !/^\d{1,15}(?:,\d{1,15})*$/.test(text)) return undefined;
  return text.split(',').map(Number);
}

export interface PullNotifierOptions {
  /** The connection of a producer: its commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly prefix: string;
}

/** Notifies requests that wait to fetch callouts. */
export function createPullNotifier({ redis, prefix }: PullNotifierOptions) {
  return {
    /** These webhooks may have callouts to fetch. It never waits and never fails: waiting requests also look on their own. */
    notify(webhookKeys: readonly number[]): void {
      if (redis.status !== 'ready') return;
      for (const message of writePullMessages(webhookKeys))
        redis.publish(pullChannel(prefix), message).catch(() => undefined);
    },
  };
}

export interface PullListenerOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onNotice: (webhookKeys: readonly number[]) => void;
  readonly onError: (error: Error) => void;
}

/** Receives the webhooks with callouts to fetch. */
export function createPullListener({ url, prefix, onNotice, onError }: PullListenerOptions) {
  let connection: ReturnType<typeof connect> | undefined;
  let isSubscribed = false;

  function openConnection(): void {
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
    /** Whether notices are received now; connects at the first call. */
    isListening(): boolean {
      if (connection === undefined) openConnection();
      return isSubscribed;
    },
    close: (): void => connection?.disconnect(),
  };
}
