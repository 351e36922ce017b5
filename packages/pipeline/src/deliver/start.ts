import { userAgent } from '@callout/domain/callout/user-agent';
import { scheduleOf } from '../settle/retry.rules.ts';
import { settleAttempts } from '../settle/settle.ts';
import { parseCidrs } from '@callout/domain/target/address';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { releaseHeldCallouts } from '../hold/release-held.ts';
import { claimDueCallouts, rescheduleCallout, type LeasedCallout, withLeaseEnd } from './claim.ts';
import { readTarget, createTargets } from './targets.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { createConsumer } from '@callout/queue/consumer';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import type { BatchTrace } from '@callout/runtime/tracing';
import { createSender } from '@callout/outbound/send';
import type { DeliveryMetrics } from '../settle/delivery-metrics.ts';
import type { RoleDeps } from '../stage.ts';
import { createAlarms } from './alarms.ts';
import { attempt, noSignal, type AttemptDeps } from './attempt.ts';
import { fixBodies } from '../payload/callout-bodies.ts';
import { startClockHalt } from './clock-halt.ts';
import { createBatches } from '@callout/runtime/concurrency/batches';
import type { CallResult } from './lane-slots.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { createLeaseRenewal, renewLeases } from './lease-renewal.ts';
import { createRateGates, type RateGatesDeps } from './rate-gates.ts';
import { hasFailed } from '../settle/settlement.rules.ts';
import { createResults, keptResultMs, type SettledBatch } from '../settle/results.ts';
import { endCalls } from '../rate/limited-calls.ts';
import { startRelease } from './release.ts';
import { createTokenStore } from './receiver/token-store.ts';
import { createTokens } from './receiver/tokens.ts';

/** Usual ones take a kilobyte; headers, certificates and keys of receivers take more. */
const keptTargets = { maxKept: 20_000, maxBytes: 24 * 1024 * 1024 };
/** Webhooks may share a host; it is at least `maxInFlightPerWebhook`. */
const maxSocketsPerHost = 100;
/** A sluggish receiver leaves three quarters of the usual calls to others. */
const maxInFlightPerWebhook = 50;
/** How long results wait to share a commit, unless something waits for them: more saves little, and delays the log. */
const settleGatherMs = 25;
/** How long free slots gather: fewer claims, each of more callouts. */
const claimGatherMs = 10;
/** Callouts whose bytes one statement makes final. */
const maxFixedAtOnce = 500;
/** A monotonic clock for leases and response times: changes of the system time do not affect it. */
const nowMs = () => performance.now();

type DeliverDeps = RoleDeps & { metrics: DeliveryMetrics };

/**
 * The role that sends due callouts and settles their results; match sends new callouts through its lanes without a
 * claim.
 */
export function startDeliver(deps: DeliverDeps): { lanes: Lanes; steps: StopStep[] } {
  const { config, paces, pool, redis, clock, log, metrics, tracing } = deps;
  const sender = createSender({
    policy: { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) },
    timeoutMs: config.CALLOUT_TIMEOUT_MS,
    // No fewer connections than the lanes may use: a call that waits for a connection uses up its own time limit.
    maxSockets: config.CALLOUTS_IN_FLIGHT,
    maxSocketsPerHost,
    proxy: config.OUTBOUND_PROXY,
    onRefusal: (refusal) => log.warn({ ...refusal }, 'a receiver was not called: its address is not allowed'),
  });
  const leased = (claim: () => Promise<ClaimedCallout[]>) => withLeaseEnd(claim, paces.leaseMs, nowMs);
  const claimRules = { leaseMs: paces.leaseMs, threshold: config.CALLOUT_THRESHOLD, onHeld: metrics.onHeld };
  const delivery = createDelivery(deps, {
    send: (request) => sender.send(request),
    async claim(wanted, onGates) {
      const startedAtMs = nowMs();
      const rules = { ...claimRules, onGates, longBodies: delivery.lanes.longBodies };
      const claimed = await leased(() => claimDueCallouts(pool, wanted, rules));
      metrics.onClaim(claimed.length, nowMs() - startedAtMs, () => claimed.map(({ traceParent }) => traceParent));
      tracing?.batch(claimTrace(claimed, startedAtMs, nowMs()));
      return claimed;
    },
  });
  const { lanes } = delivery;
  metrics.watchCalls(() => lanes.inFlight(), config.CALLOUTS_IN_FLIGHT);
  const release = startRelease({
    async release(slotsOf, atMost) {
      const rules = { ...claimRules, slotsOf, atMost, longBodies: lanes.longBodies };
      const released = await leased(() => releaseHeldCallouts(pool, rules));
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
    work: async ({ webhookKeys }) => lanes.enqueue(webhookKeys),
    onFailed: (err) => log.warn({ err }, 'a job failed; the sweep enqueues its webhooks again'),
  });
  const halt = startClockHalt({ clock, lanes, consumer, log });
  const steps = [
    { name: 'a halt for a wrong clock', stop: async () => halt.stop() },
    { name: 'deliver', stop: () => consumer.close() },
    { name: 'held callouts', stop: () => release.stop() },
    { name: 'calls in flight', stop: () => delivery.drain() },
    { name: 'outbound connections', stop: () => sender.close() },
  ];
  return { lanes, steps };
}

/** The spans of a claim, for each trace. */
function claimTrace(claimed: readonly ClaimedCallout[], fromMs: number, toMs: number): BatchTrace {
  const [startMs, endMs] = [performance.timeOrigin + fromMs, performance.timeOrigin + toMs];
  const parents = claimed.map(({ traceParent }) => traceParent);
  return { name: 'claim', parents, startMs, endMs, statements: [{ name: 'delivery_claim', startMs, endMs }] };
}

/** Delivers the callouts of this process. */
interface Delivery {
  lanes: Lanes;
  /** Claims nothing more and waits until all callouts in flight are settled. */
  drain(): Promise<void>;
}

/**
 * Connects the steps of a callout: lanes → attempt → settle. None of the three knows another. Only two things go back
 * from settling to the lanes: the keys of webhooks that have something due, now or soon, and whether results are being
 * buffered, during which nothing more is claimed.
 */
function createDelivery(
  { config, paces, pool, clock, log, metrics, tracing }: DeliverDeps,
  { send, claim }: { send: AttemptDeps['send']; claim: RateGatesDeps['claim'] },
): Delivery {
  const alarms = createAlarms((webhookKeys) => lanes.enqueue(webhookKeys));
  const gates = createRateGates({
    claim,
    endCalls: (calls) => endCalls(pool, calls),
    enqueue: (webhookKeys) => lanes.enqueue(webhookKeys),
    alarm: (webhookKey, waitMs) => alarms.add(webhookKey, waitMs),
    nowMs,
    log,
  });
  const lanes = createLanes({
    maxInFlight: config.CALLOUTS_IN_FLIGHT,
    maxInFlightPerWebhook,
    gatherMs: claimGatherMs,
    nowMs,
    claim: (wanted) => gates.claim(wanted),
    deliver,
    onAwaited: () => results.hurry(),
    onError: logRepeats(log, 'a claim failed; the sweep enqueues its webhooks again'),
  });
  const settleRules = {
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    failingAfterMs: config.ALERT_AFTER,
    random: Math.random,
  };
  const results = createResults({
    store: (settlements) => settleAttempts(pool, settlements, settleRules),
    onSettled,
    onBuffering: (isBuffering) => lanes.suspend('results', isBuffering),
    gatherMs: settleGatherMs,
    nowMs,
    log,
    metrics,
  });
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const fixing = createBatches<LeasedCallout, LeasedCallout | null>({
    write: (callouts) => fixBodies(pool, callouts),
    gatherMs: 0,
    maxWeight: maxFixedAtOnce,
    concurrency: 2,
  });
  const attemptDeps: AttemptDeps = {
    targetOf: createTargets({
      read: (webhookKey) => readTarget(pool, webhookKey),
      keyRing,
      ...keptTargets,
      nowMs: Date.now,
    }),
    send,
    tokenFor: createTokens({ store: createTokenStore(pool, keyRing), send, userAgent, nowMs }),
    reschedule: (callout, waitMs) => rescheduleCallout(pool, callout, waitMs),
    fixBody: (callout) => fixing.add(callout),
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    leaseMs: paces.leaseMs,
    callTimeoutMs: config.CALLOUT_TIMEOUT_MS,
    nowMs,
    isClockRight: () => clock.isRight(),
    userAgent,
    random: Math.random,
    onNotMade: metrics.onNotMade,
    tracing,
    log,
  };

  const leases = createLeaseRenewal({
    renew: (callouts) => renewLeases(pool, callouts, paces.leaseMs),
    leaseMs: paces.leaseMs,
    nowMs,
    onError: logRepeats(log, 'leases of calls under way could not be renewed; this is tried again'),
  });

  async function deliver(callout: LeasedCallout, answered: (result: CallResult) => void): Promise<void> {
    const release = leases.hold(callout);
    try {
      const settlement = await attempt(attemptDeps, callout, answered).finally(() => gates.onCallOver(callout));
      if (settlement === null) return;
      metrics.onCall({ callout, attempt: settlement.attempt });
      const settled = results.add(settlement, nowMs() + keptResultMs);
      if (hasFailed(settlement) || callout.kind === 'test' || lanes.isAwaited(callout)) results.hurry();
      await settled;
    } catch (err) {
      answered(noSignal);
      log.error(
        { err, calloutId: callout.id, webhookKey: callout.webhookKey },
        'attempt not made, or its result not stored: it is made again when its lease has ended',
      );
    } finally {
      release();
    }
  }

  function onSettled({ settlements, dueWebhookKeys }: SettledBatch): void {
    lanes.enqueue(dueWebhookKeys);
    for (const { callout, next } of settlements) {
      if (next.kind === 'retry') alarms.add(callout.webhookKey, next.waitMs);
    }
  }

  return {
    lanes,
    async drain() {
      await lanes.drain();
      await gates.drain();
      await results.drain();
      await leases.stop();
      alarms.stop();
    },
  };
}
