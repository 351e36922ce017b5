import { parseCidrs, scheduleOf } from '@callout/core/deliver';
import { KeyRing } from '@callout/core/secrets';
import {
  claimDueCallouts,
  type ClaimedCallout,
  rescheduleCallout,
  readTargets,
  releaseHeldCallouts,
} from '@callout/db/claim';
import { createConsumer, createLivePublisher, liveResultsOf } from '@callout/queue';
import { logRepeats } from '@callout/runtime/log';
import type { StopStep } from '@callout/runtime/process';
import type { BatchTrace } from '@callout/runtime/tracing';
import { createSender } from '../outbound/send.ts';
import type { RoleDeps } from '../role.ts';
import type { AttemptDeps } from './attempt.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { withLeaseEnd } from './lease.ts';
import type { Lanes, LanesDeps } from './lanes/lanes.ts';
import { startRelease } from './release.ts';
import { createTargets } from './targets.ts';

const maxKeptTargets = 20_000;
const leastSocketsPerHost = 100;
/** How long free slots gather: fewer claims, each of more callouts. */
const claimGatherMs = 10;
/** The clock of leases and of what receivers take: no step of the time of day moves it. */
const nowMs = () => performance.now();

/** The role that sends due callouts and settles what came of it; its lanes are for what needs no claim. */
export function startDeliver(deps: RoleDeps): { lanes: Lanes; steps: StopStep[] } {
  const { config, pool, redis, log, metrics, tracing } = deps;
  const sender = createSender({
    policy: { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) },
    timeoutMs: config.CALLOUT_TIMEOUT_MS,
    // No fewer than the lanes may use: a call that waits for a connection spends its own time limit.
    maxSockets: config.CALLOUTS_IN_FLIGHT,
    maxSocketsPerHost: Math.max(leastSocketsPerHost, config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK),
    onRefusal: (refusal) => log.warn({ ...refusal }, 'a receiver was not called: its address is not allowed'),
  });
  const leased = (claim: () => Promise<ClaimedCallout[]>) => withLeaseEnd(claim, config.LEASE_MS, nowMs);
  const claimRules = { leaseMs: config.LEASE_MS, threshold: config.CALLOUT_THRESHOLD, onHeld: metrics.onHeld };
  const delivery = deliveryOf(deps, {
    send: (request) => sender.send(request),
    async claim(wanted) {
      const startedAtMs = nowMs();
      const claimed = await leased(() => claimDueCallouts(pool, wanted, claimRules));
      metrics.onClaim(claimed.length, nowMs() - startedAtMs, () => claimed.map(({ traceParent }) => traceParent));
      tracing?.batch(claimTrace(claimed, startedAtMs, nowMs()));
      return claimed;
    },
  });
  const { lanes } = delivery;
  metrics.watchCalls(() => lanes.inFlight(), config.CALLOUTS_IN_FLIGHT);
  const release = startRelease({
    async release(slotsOf, atMost) {
      const released = await leased(() => releaseHeldCallouts(pool, { ...claimRules, slotsOf, atMost }));
      metrics.onReleased(released.length);
      return released;
    },
    lanes,
    maxInFlight: config.CALLOUTS_IN_FLIGHT,
    onError: logRepeats(log, 'held callouts could not be released; this is tried again'),
  });
  const consumer = createConsumer({
    ...redis,
    name: 'deliver',
    concurrency: 1,
    work: async ({ webhookKeys }) => lanes.enqueue(webhookKeys),
    onFailed: (err) => log.warn({ err }, 'a job failed; the sweep enqueues its webhooks again'),
  });
  const steps = [
    { name: 'deliver', stop: () => consumer.close() },
    { name: 'held callouts', stop: () => release.stop() },
    { name: 'calls in flight', stop: () => delivery.drain() },
    { name: 'outbound connections', stop: () => sender.close() },
  ];
  return { lanes, steps };
}

/** What a claim did for each trace. */
function claimTrace(claimed: readonly ClaimedCallout[], fromMs: number, toMs: number): BatchTrace {
  const [startMs, endMs] = [performance.timeOrigin + fromMs, performance.timeOrigin + toMs];
  const parents = claimed.map(({ traceParent }) => traceParent);
  return { name: 'claim', parents, startMs, endMs, statements: [{ name: 'delivery_claim', startMs, endMs }] };
}

function deliveryOf(
  { config, pool, producer, redis, log, metrics, tracing }: RoleDeps,
  { send, claim }: { send: AttemptDeps['send']; claim: LanesDeps['claim'] },
): Delivery {
  const live = createLivePublisher({ redis: producer.redis, prefix: redis.prefix, nowMs });
  return createDelivery({
    lanes: {
      claim,
      maxInFlight: config.CALLOUTS_IN_FLIGHT,
      maxInFlightPerWebhook: config.CALLOUTS_IN_FLIGHT_PER_WEBHOOK,
      gatherMs: claimGatherMs,
      nowMs,
      onError: logRepeats(log, 'a claim failed; the sweep enqueues its webhooks again'),
    },
    attempt: {
      targetOf: createTargets({
        read: (webhookKeys) => readTargets(pool, webhookKeys),
        keyRing: KeyRing.parse(config.SECRET_KEYS),
        maxKept: maxKeptTargets,
        nowMs: Date.now,
      }),
      send,
      reschedule: (callout, waitMs) => rescheduleCallout(pool, callout, waitMs),
      schedule: scheduleOf(config.RETRY_SCHEDULE),
      callTimeoutMs: config.CALLOUT_TIMEOUT_MS,
      nowMs,
      userAgent: config.USER_AGENT,
      random: Math.random,
      onNotMade: metrics.onNotMade,
      tracing,
      log,
    },
    settle: {
      pool,
      rules: { deactivateAfter: config.DEACTIVATE_AFTER_FAILURES, random: Math.random },
      gatherMs: config.SETTLE_COMMIT_MS,
      nowMs,
      log,
      metrics,
    },
    metrics,
    // Its people are told soon; a worker with the role notify finds the mail in any case.
    onGivenUp: () => producer.enqueue('notify', {}),
    onResults: (settlements) => live.publish(() => liveResultsOf(settlements)),
    log,
  });
}
