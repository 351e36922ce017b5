import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient } from '@callout/client';
import { type LiveAttempt, type LiveScope, readLive } from './live-stream.ts';
import { createPoller } from './poll.ts';

export interface FollowOptions {
  readonly client: CalloutClient;
  /** The webhook that is followed; undefined: all. */
  readonly webhook: (LiveScope & { readonly webhookGUID: string }) | undefined;
  readonly stop: AbortSignal;
  readonly onAttempt: (attempt: LiveAttempt) => void;
  /** Called when attempts begin to come live, and when the log has to be polled. */
  readonly onWay: (way: 'live' | 'polling') => void;
  /** The period of polling without live attempts. For tests. */
  readonly askingMs?: number;
}

/** Workers notice a viewer after a second; earlier attempts come from the log. */
const settledMs = 1_500;
/** With live attempts polling is this much rarer: a process may have died before it reported. */
const liveTurns = 4;

/**
 * Shows every attempt from now on until it is stopped: from the live stream, and without one from the delivery log.
 * Each is shown once. Rejects with an ApiError that does not pass by itself.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { client, webhook, stop, onAttempt, onWay, askingMs = 3_000 } = options;
  const poller = createPoller(
    client,
    webhook === undefined ? {} : { webhookGUID: webhook.webhookGUID },
    onAttempt,
    stop,
  );
  const scope = webhook && { entityType: webhook.entityType, webhookID: webhook.webhookID };
  let isLive: boolean | undefined;
  const setLive = (now: boolean) => {
    if (now !== isLive && !stop.aborted) onWay(now ? 'live' : 'polling');
    isLive = now;
  };

  async function listen(): Promise<void> {
    for (let failures = 0; !stop.aborted; failures += 1) {
      try {
        await readLive(client, scope, stop, {
          onAttempt: (attempt) => void (poller.note(attempt) && onAttempt(attempt)),
          onLive() {
            failures = 0;
            setLive(true);
            void sleep(settledMs, undefined, { signal: stop })
              .then(() => poller.look())
              .catch(() => undefined);
          },
          onMissed(isStillLive) {
            setLive(isStillLive);
            void poller.look().catch(() => undefined);
          },
        });
      } catch (error) {
        if (error instanceof ApiError && isFinal(error) && !stop.aborted) throw error;
      }
      setLive(false);
      await sleep(Math.min(30_000, askingMs * 2 ** failures), undefined, { signal: stop }).catch(() => undefined);
    }
  }

  async function ask(): Promise<void> {
    for (let turn = 1; !stop.aborted; turn += 1) {
      await sleep(askingMs, undefined, { signal: stop }).catch(() => undefined);
      const isTurn = isLive === false || (isLive === true && turn % liveTurns === 0);
      // The API is away for now, or limits the requests: the next look finds the rest.
      if (isTurn && !stop.aborted) {
        await poller.look().catch((error: unknown) => {
          if (error instanceof ApiError && isFinal(error)) throw error;
        });
      }
    }
  }

  await Promise.all([listen(), ask()]);
}

/** Whether the same request is refused in a while, too. */
function isFinal({ status }: ApiError): boolean {
  return status === 400 || status === 401 || status === 403;
}
