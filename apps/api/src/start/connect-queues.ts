import { hasFailed } from '@callout/pipeline/settle/settlement.rules';
import { createFairEnqueue } from '@callout/queue/priorities';
import { createProducer } from '@callout/queue/producer';
import { createPullNotifier, createPullListener } from '@callout/queue/pull-signals';
import { connectCounter } from '@callout/queue/redis/redis';
import type { ApiConfig } from '@callout/runtime/config/api';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { startStep } from '@callout/runtime/process/start-step';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { createCounters } from '../http/limits/shared-counters.ts';
import type { ApiParts } from '../api-context.ts';

interface Connecting {
  readonly config: Pick<ApiConfig, 'REDIS_URL' | 'REDIS_PREFIX'>;
  readonly log: Logger;
}

type QueueDeps = Pick<
  ApiParts,
  'enqueueMatch' | 'enqueueDeliver' | 'queueProblem' | 'makeCounter' | 'listenForPulls' | 'onPullsSettled'
>;

/**
 * The messages of the API through Redis, which may be away at any time: nothing here waits for Redis or fails without
 * Redis.
 * @returns `steps` end the connections, after all their users. Rejects when the user of Redis has too few permissions.
 */
export async function connectQueues({
  config,
  log,
}: Connecting): Promise<{ readonly queues: QueueDeps; readonly steps: StopStep[] }> {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = config;
  const producer = createProducer({ url, prefix, onError: logRepeats(log, 'Redis is away or refused a command') });
  await startStep('the Redis that REDIS_URL names cannot be used', () => producer.requirePermissions());
  const countingRedis = connectCounter({ url });
  const pullNotifier = createPullNotifier({ redis: producer.redis, prefix });
  const queues: QueueDeps = {
    enqueueMatch: createFairEnqueue(producer),
    enqueueDeliver(webhookKeys) {
      producer.enqueueWebhooks(webhookKeys);
      pullNotifier.notify(webhookKeys);
    },
    queueProblem: () => producer.problem(),
    makeCounter: createCounters({ redis: countingRedis, prefix, log }),
    listenForPulls: (onNotice) =>
      createPullListener({
        url,
        prefix,
        onNotice,
        onError: logRepeats(log, 'Redis is away: requests that wait for callouts poll PostgreSQL'),
      }),
    onPullsSettled({ settlements, dueWebhookKeys }) {
      pullNotifier.notify([...new Set([...dueWebhookKeys, ...settlements.map(({ callout }) => callout.webhookKey)])]);
      // A webhook that is deactivated now may have a deactivation call to send.
      if (settlements.some(hasFailed) && dueWebhookKeys.length > 0) producer.enqueueWebhooks(dueWebhookKeys);
    },
  };
  const steps = [
    { name: 'the producer', stop: () => producer.close() },
    { name: 'counters', stop: async () => countingRedis.disconnect() },
  ];
  return { queues, steps };
}
