import { KeyRing, parseCidrs } from '@callout/core';
import { claimDueCallouts, putOffCallout, readTargets, releaseHeldCallouts, type ClaimedCallout } from '@callout/db';
import { createConsumer } from '@callout/queue';
import { logRepeats, type StopStep } from '@callout/runtime';
import { createAlarms } from './alarms.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { withLeaseEnd } from './lease.ts';
import { createSender } from '../outbound/send.ts';
import { startRelease } from './release.ts';
import { createResults } from '../settle/results.ts';
import { settleAttempts } from '../settle/settle.ts';
import { scheduleOf } from './schedule-of.ts';
import { createTargets } from './targets.ts';
import type { RoleDeps } from '../role.ts';

const maxKeptTargets = 20_000;
const leastSocketsPerHost = 100;
/** The clock of leases and of what receivers take: no step of the time of day moves it. */
const nowMs = () => performance.now();

/** The role that delivers, and its lanes, for what needs no claim. */
export interface Delivery {
  lanes: Lanes;
  steps: StopStep[];
}

/** The role that sends due callouts and stores what came of it. */
export function startDeliver({ config, pool, producer, redis, log }: RoleDeps): Delivery {
  const sender = createSender({
    policy: { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) },
    timeoutMs: config.CALLOUT_TIMEOUT_MS,
    // No fewer than the lanes may use: a call that waits for a connection spends its own time limit.
    maxSockets: config.CALLOUTS_IN_FLIGHT,
    maxSocketsPerHost: Math.max(leastSocketsPerHost, config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK),
    onRefusal: (refusal) => log.warn({ ...refusal }, 'refused to connect'),
  });
  const settleRules = { deactivateAfter: config.DEACTIVATE_AFTER_FAILURES, random: Math.random };
  const retries = createAlarms((webhookKeys) => lanes.wake(webhookKeys));
  const results = createResults({
    store: (settlements) => settleAttempts(pool, settlements, settleRules),
    onWoken: (webhookKeys) => lanes.wake(webhookKeys),
    onStored(settlements) {
      for (const { callout, next } of settlements)
        if (next.kind === 'retry') retries.add(callout.webhookKey, next.waitMs);
      // Whoever has to be told of that is told soon; a worker with the role notify finds the mail in any case.
      if (settlements.some(({ next }) => next.kind === 'ended' && next.state === 'failed')) producer.wake('notify', {});
    },
    onKept: (areKept) => lanes.hold(areKept),
    gatherMs: config.SETTLE_COMMIT_MS,
    nowMs,
    log,
  });
  const deps: DeliverDeps = {
    targetOf: createTargets({
      read: (webhookKeys) => readTargets(pool, webhookKeys),
      keyRing: KeyRing.parse(config.SECRET_KEYS),
      maxKept: maxKeptTargets,
      nowMs: Date.now,
    }),
    send: (request) => sender.send(request),
    settle: (settlement, leaseEndsAtMs) => results.add(settlement, leaseEndsAtMs),
    putOff: (callout, waitMs) => putOffCallout(pool, callout, waitMs),
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    callTimeoutMs: config.CALLOUT_TIMEOUT_MS,
    nowMs,
    userAgent: config.USER_AGENT,
    random: Math.random,
    log,
  };
  const leased = (claim: () => Promise<ClaimedCallout[]>) => withLeaseEnd(claim, config.LEASE_MS, nowMs);
  const claimRules = { leaseMs: config.LEASE_MS, threshold: config.CALLOUT_THRESHOLD };
  const lanes = createLanes({
    claim: (wanted) => leased(() => claimDueCallouts(pool, wanted, claimRules)),
    deliver: (callout, answered) => deliver(deps, callout, answered),
    maxInFlight: config.CALLOUTS_IN_FLIGHT,
    maxInFlightPerWebhook: config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK,
    gatherMs: config.SETTLE_COMMIT_MS,
    nowMs,
    onError: logRepeats(log, 'a claim failed; the sweep wakes its webhooks again'),
  });
  const release = startRelease({
    release: (placesOf, atMost) => leased(() => releaseHeldCallouts(pool, { ...claimRules, placesOf, atMost })),
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
  const steps = [
    { name: 'deliver', stop: () => consumer.close() },
    { name: 'held callouts', stop: () => release.stop() },
    { name: 'calls in flight', stop: () => lanes.drain() },
    { name: 'results', stop: () => results.drain() },
    { name: 'alarms', stop: async () => retries.stop() },
    { name: 'outbound connections', stop: () => sender.close() },
  ];
  return { lanes, steps };
}
