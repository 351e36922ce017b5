import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { nowMs } from '../clock.ts';

/** A webhook whose callouts are told. */
export interface ToldWebhook {
  readonly tenantId: number;
  readonly webhookKey: number;
}

const everyMs = 50;

/**
 * Publishes results as workers do, for some time. Without workers: what is measured is the API that tells its viewers.
 * @param eventsPerS of all webhooks together, which take turns.
 * @returns how many were published to each tenant.
 */
export async function publish(
  redisUrl: string,
  prefix: string,
  webhooks: readonly ToldWebhook[],
  { eventsPerS, seconds }: { readonly eventsPerS: number; readonly seconds: number },
): Promise<ReadonlyMap<number, number>> {
  const published = new Map<number, number>();
  const redis = new Redis(redisUrl);
  try {
    const startedAtMs = nowMs();
    for (let count = 0; nowMs() - startedAtMs < seconds * 1000; await sleep(everyMs)) {
      const due = Math.floor(((nowMs() - startedAtMs) / 1000) * eventsPerS);
      for (; count < due; count += 1) {
        const webhook = webhooks[count % webhooks.length];
        if (webhook === undefined) continue;
        published.set(webhook.tenantId, (published.get(webhook.tenantId) ?? 0) + 1);
        void redis.publish(`${prefix}:live:${webhook.tenantId}`, JSON.stringify([resultOf(webhook, count)]));
      }
    }
    await redis.ping();
  } finally {
    redis.disconnect();
  }
  return published;
}

function resultOf({ webhookKey }: ToldWebhook, sequenceNumber: number) {
  return {
    ...{ calloutId: randomUUID(), webhookKey, recordId: 7, sequenceNumber, kind: 'event', state: 'delivered' },
    ...{ attempt: 1, startedAtMs: Date.now(), durationMs: 12, status: 200, reason: null, nextInMs: null },
  };
}
