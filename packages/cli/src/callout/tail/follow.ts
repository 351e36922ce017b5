import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient } from '@callout/client';
import { createPoller, type EndedAttempt } from './poll.ts';

export interface FollowOptions {
  readonly client: CalloutClient;
  /** The webhook that is followed; undefined: all. */
  readonly webhookGUID: string | undefined;
  readonly stop: AbortSignal;
  readonly onAttempt: (attempt: EndedAttempt) => void;
  /** The period of polling. For tests. */
  readonly everyMs?: number;
}

/**
 * Shows every attempt from now on until it is stopped, each once, by polling the delivery log.
 * Rejects with an ApiError that does not pass by itself.
 */
export async function follow({ client, webhookGUID, stop, onAttempt, everyMs = 2_000 }: FollowOptions): Promise<void> {
  const poller = createPoller(client, webhookGUID === undefined ? {} : { webhookGUID }, onAttempt, stop);
  while (!stop.aborted) {
    // The API is away for now, or limits the requests: the next look finds the rest.
    await poller.look().catch((error: unknown) => {
      if (error instanceof ApiError && isFinal(error) && !stop.aborted) throw error;
    });
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Whether the same request is refused in a while, too. */
function isFinal({ status }: ApiError): boolean {
  return status === 400 || status === 401 || status === 403;
}
