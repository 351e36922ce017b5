import { isGivenUp } from '@callout/core/settle';
import {
  connectCounter,
  createFairEnqueue,
  createLivePublisher,
  createLiveSubscriber,
  createProducer,
  createPullBell,
  createPullListener,
  liveResultsOf,
} from '@callout/queue';
import type { ApiConfig } from '@callout/runtime/config';
import { type Logger, logRepeats } from '@callout/runtime/log';
import type { StopStep } from '@callout/runtime/process';
import { createCounters } from '../http/limits/counters.ts';
import type { WireDeps } from './context.ts';

interface Connecting {
  readonly config: Pick<ApiConfig, 'REDIS_URL' | 'REDIS_PREFIX'>;
  readonly log: Logger;
}

type QueueDeps = Pick<
  WireDeps,
  | 'enqueueMatch'
  | 'enqueueDeliver'
  | 'isQueueReady'
  | 'makeCounter'
  | 'listenForPulls'
  | 'onPullsSettled'
  | 'subscribeLive'
>;

/**
 * What the API tells and hears through Redis, which may be away at any time: nothing here waits for it or fails without it.
 * @returns `steps` end its connections, after everything that uses them.
 */
export function connectQueues({ config, log }: Connecting): { readonly queues: QueueDeps; readonly steps: StopStep[] } {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = config;
  const producer = createProducer({ url, prefix, onError: logRepeats(log, 'Redis is away or refused a command') });
  const countingRedis = connectCounter({ url });
  const bell = createPullBell({ redis: producer.redis, prefix });
  const liveResults = createLivePublisher({ redis: producer.redis, prefix, nowMs: () => performance.now() });
  const queues: QueueDeps = {
    enqueueMatch: createFairEnqueue(producer),
    enqueueDeliver(webhookKeys) {
      producer.enqueue('deliver', { webhookKeys });
      bell.ring(webhookKeys);
    },
    isQueueReady: () => producer.isReady(),
    makeCounter: createCounters({ redis: countingRedis, prefix, log }),
    listenForPulls: (onRing) =>
      createPullListener({
        url,
        prefix,
        onRing,
        onError: logRepeats(log, 'Redis is away: requests that wait for callouts poll PostgreSQL'),
      }),
    onPullsSettled({ settlements, dueWebhookKeys }) {
      bell.ring([...new Set([...dueWebhookKeys, ...settlements.map(({ callout }) => callout.webhookKey)])]);
      liveResults.publish(() => liveResultsOf(settlements));
      if (!settlements.some(isGivenUp)) return;
      // There may be mail, and a webhook that is deactivated now may have a deactivation call that is sent.
      producer.enqueue('notify', {});
      if (dueWebhookKeys.length > 0) producer.enqueue('deliver', { webhookKeys: dueWebhookKeys });
    },
    subscribeLive: (heard) =>
      createLiveSubscriber({
        url,
        prefix,
        onError: logRepeats(log, 'Redis is away: there are no live events'),
        ...heard,
      }),
  };
  const steps = [
    { name: 'the producer', stop: () => producer.close() },
    { name: 'counters', stop: async () => countingRedis.disconnect() },
  ];
  return { queues, steps };
}
