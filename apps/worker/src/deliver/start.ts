import { KeyRing, parseCidrs, retrySchedules, type RetrySchedule } from '@callout/core';
import {
  claimDueCallouts,
  putOffCallout,
  readTargets,
  releaseHeldCallouts,
  settleAttempts,
  type Settlement,
} from '@callout/db';
import { createConsumer } from '@callout/queue';
import { createBatches, logRepeats, type WorkerConfig } from '@callout/runtime';
import { deliver, type DeliverDeps } from './deliver.ts';
import { createLanes } from './lanes.ts';
import { createSender } from '../outbound/send.ts';
import { startRelease } from './release.ts';
import { createTargets } from './targets.ts';
import type { RoleDeps, StartRole } from '../role.ts';

const maxKeptTargets = 20_000;
const resultsPerSettle = 200;
const leastSocketsPerHost = 100;
/** Two, so that one batch gathers its rows while the other commits. */
const settlesAtOnce = 2;

/** The role that sends due callouts and stores what came of it. */
export const startDeliver: StartRole = ({ config, pool, producer, redis, log }: RoleDeps) => {
  const sender = createSender({
    policy: { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) },
    timeoutMs: config.CALLOUT_TIMEOUT_MS,
    // No fewer than the lanes may use: a call that waits for a connection spends its own time limit.
    maxSockets: config.CALLOUTS_IN_FLIGHT,
    maxSocketsPerHost: Math.max(leastSocketsPerHost, config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK),
    onRefusal: (refusal) => log.warn({ ...refusal }, 'refused to connect'),
  });
  const settleRules = { deactivateAfter: config.DEACTIVATE_AFTER_FAILURES, random: Math.random };
  const settlements = createBatches<Settlement, void>({
    gatherMs: config.SETTLE_COMMIT_MS,
    maxWeight: resultsPerSettle,
    concurrency: settlesAtOnce,
    async write(batch) {
      const { lateCalloutIds, wokenWebhookKeys } = await settleAttempts(pool, batch, settleRules);
      for (const calloutId of lateCalloutIds) log.warn({ calloutId }, 'result came after the lease had passed on');
      lanes.wake(wokenWebhookKeys);
      // Whoever has to be told of that is told soon; a worker with the role notify finds the mail in any case.
      if (batch.some(({ next }) => next.kind === 'ended' && next.state === 'failed')) producer.wake('notify', {});
      return [];
    },
  });
  const deps: DeliverDeps = {
    targetOf: createTargets({
      read: (webhookKeys) => readTargets(pool, webhookKeys),
      keyRing: KeyRing.parse(config.SECRET_KEYS),
      maxKept: maxKeptTargets,
      nowMs: Date.now,
    }),
    send: (request) => sender.send(request),
    settle: (settlement) => settlements.add(settlement),
    putOff: (callout, waitMs) => putOffCallout(pool, callout, waitMs),
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    userAgent: config.USER_AGENT,
    random: Math.random,
    log,
  };
  const claimRules = { leaseMs: config.LEASE_MS, threshold: config.CALLOUT_THRESHOLD };
  const lanes = createLanes({
    claim: (wanted) => claimDueCallouts(pool, wanted, claimRules),
    deliver: (callout, answered) => deliver(deps, callout, answered),
    maxInFlight: config.CALLOUTS_IN_FLIGHT,
    maxInFlightPerWebhook: config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK,
    gatherMs: config.SETTLE_COMMIT_MS,
    nowMs: () => performance.now(),
    onError: logRepeats(log, 'a claim failed; the sweep wakes its webhooks again'),
  });
  const release = startRelease({
    release: (placesOf, atMost) => releaseHeldCallouts(pool, { ...claimRules, placesOf, atMost }),
    lanes,
    maxInFlight: config.CALLOUTS_IN_FLIGHT,
    onError: logRepeats(log, 'held callouts could not be released; this is tried again'),
  });
  const consumer = createConsumer({
    ...redis,
    name: 'deliver',
    concurrency: 1,
    work: async ({ webhookKeys }) => lanes.wake(webhookKeys),
    onFailed: (err) => log.warn({ err }, 'a wake-up call failed; the sweep repeats it'),
  });
  return [
    { name: 'deliver', stop: () => consumer.close() },
    { name: 'held callouts', stop: () => release.stop() },
    { name: 'calls in flight', stop: () => lanes.drain() },
    { name: 'results', stop: () => settlements.drain() },
    { name: 'outbound connections', stop: () => sender.close() },
  ];
};

function scheduleOf(configured: WorkerConfig['RETRY_SCHEDULE']): RetrySchedule {
  if (typeof configured === 'string') return retrySchedules[configured];
  return { waitsMs: configured.waitsMs, jitter: retrySchedules.standard.jitter };
}
