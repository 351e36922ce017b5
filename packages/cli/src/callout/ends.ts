import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient } from '@callout/client';

/** How many of some callouts have ended in which way. */
export interface Ends {
  readonly delivered: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Not ended yet. */
  readonly open: number;
}

interface WaitOptions {
  readonly client: CalloutClient;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

const lookEveryMs = 500;
/** Callouts that are read at a time. */
const atOnce = 10;

/** Waits until callouts have ended, within a limit. Each look reads only callouts that were open before the look. */
export async function waitForEnds({ client, ids, timeoutMs, stop }: WaitOptions): Promise<Ends> {
  const deadline = Date.now() + timeoutMs;
  const ends = { delivered: 0, failed: 0, cancelled: 0 };
  let openIds = [...new Set(ids)];
  for (;;) {
    const stillOpen: string[] = [];
    for (let at = 0; at < openIds.length; at += atOnce) {
      const some = openIds.slice(at, at + atOnce);
      const isOver = at > 0 && (Date.now() >= deadline || stop.aborted);
      const states = isOver ? [] : await Promise.all(some.map((id) => stateOf(client, id)));
      for (const [index, id] of some.entries()) {
        const state = states[index];
        if (state === 'delivered' || state === 'failed' || state === 'cancelled') ends[state] += 1;
        else stillOpen.push(id);
      }
    }
    openIds = stillOpen;
    if (openIds.length === 0 || Date.now() >= deadline || stop.aborted) return { ...ends, open: openIds.length };
    await sleep(lookEveryMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** A callout that was deleted meanwhile, with the webhook or the day of the log, counts as cancelled. */
async function stateOf(client: CalloutClient, calloutID: string): Promise<string> {
  try {
    const { data } = await client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
    return data.item.state;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'cancelled';
    throw error;
  }
}

export function endsText({ delivered, failed, cancelled, open: openIds }: Ends): string {
  const counts = [
    `Delivered: ${delivered}.`,
    `Failed: ${failed}.`,
    ...(cancelled > 0 ? [`Cancelled: ${cancelled}.`] : []),
    ...(openIds > 0 ? [`Not ended yet: ${openIds}.`] : []),
  ].join(' ');
  const isDone = failed + openIds === 0;
  return isDone
    ? counts
    : `${counts} \`callout deliveries show <calloutID>\` shows every attempt, and when the next one is made.`;
}
