import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { userAgent } from '@callout/domain/callout/user-agent';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { parseCidrs } from '@callout/domain/target/address';
import { createSender } from '@callout/outbound/send';
import { createConsumer } from '@callout/queue/consumer';
import { createBatches } from '@callout/runtime/concurrency/batches';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import type { BatchTrace } from '@callout/runtime/tracing';
import { releaseHeldCallouts } from '../limits/release-held.ts';
import { fixBodies } from '../payload/callout-bodies.ts';
import type { DeliveryMetrics } from '../settle/delivery-metrics.ts';
import { createResults, type Results } from '../settle/results.ts';
import { scheduleOf } from '../settle/retry.rules.ts';
import { settleAttempts } from '../settle/settle.ts';
import type { RoleDeps } from '../stage.ts';
import { claimDueCallouts, rescheduleCallout, type LeasedCallout, withLeaseEnd } from './claim.ts';
import { startClockHalt } from './clock-halt.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import type { Delivery } from './engine/delivery.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import { createTokenStore } from './receiver/token-store.ts';
import { createTokens } from './receiver/tokens.ts';
import { createTargets, readTarget } from './targets.ts';

/** Usual targets take a kilobyte; headers, certificates and keys of receivers take more. */
const keptTargets = { maxKept: 20_000, maxBytes: 24 * 1024 * 1024 };
/** Webhooks may share a host; at least `maxInFlightPerWebhook`. */
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

type DeliverRoleDeps = RoleDeps & { metrics: DeliveryMetrics };

/**
 * The role that sends due callouts and settles their results. Each part is made of parts that are made before; through
 * `engine`, match sends new callouts without a claim.
 */
export function startDeliver(deps: DeliverRoleDeps): { engine: Engine; steps: StopStep[] } {
  const { config, paces, pool, redis, clock, log, metrics } = deps;
  const { leaseMs } = paces;
  const maxInFlight = config.CALLOUTS_IN_FLIGHT;
  const engine = createEngine({
    pool,
    maxInFlight,
    maxInFlightPerWebhook,
    gatherMs: claimGatherMs,
    leaseMs,
    nowMs,
    log,
  });
  const results = resultsOf(deps, engine);
  const sender = senderOf(deps);
  const running = engine.start(deliveryOf(deps, results, (request) => sender.send(request)));
  metrics.watchCalls(running.inFlight, maxInFlight);
  const consumer = createConsumer({
    ...redis,
    name: 'deliver',
    work: async ({ webhookKeys }) => engine.enqueue(webhookKeys),
    onFailed: (err) => log.warn({ err }, 'a job failed; the sweep enqueues its webhooks again'),
  });
  const halt = startClockHalt({ clock, engine, consumer, log });
  const steps = [
    { name: 'a halt for a wrong clock', stop: async () => halt.stop() },
    { name: 'deliver', stop: () => consumer.close() },
    { name: 'calls in flight', stop: () => running.drain().then(() => results.drain()) },
    { name: 'outbound connections', stop: () => sender.close() },
  ];
  return { engine, steps };
}

/** Stores the results of calls. Webhooks with something to send, now or soon, go back to the engine. */
function resultsOf({ config, pool, log, metrics }: DeliverRoleDeps, engine: Engine): Results {
  const settleRules = {
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    failingAfterMs: config.ALERT_AFTER,
    random: Math.random,
  };
  return createResults({
    store: (settlements) => settleAttempts(pool, settlements, settleRules),
    onSettled({ settlements, dueWebhookKeys }) {
      engine.enqueue(dueWebhookKeys);
      for (const { callout, next } of settlements) {
        if (next.kind === 'retry') engine.enqueue([callout.webhookKey], next.waitMs);
      }
    },
    onBuffering: (isBuffering) => engine.suspend('results', isBuffering),
    gatherMs: settleGatherMs,
    nowMs,
    log,
    metrics,
  });
}

function senderOf({ config, log }: DeliverRoleDeps): ReturnType<typeof createSender> {
  return createSender({
    policy: { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) },
    timeoutMs: config.CALLOUT_TIMEOUT_MS,
    // No fewer connections than the lanes may use: a call that waits for a connection uses up its own time limit.
    maxSockets: config.CALLOUTS_IN_FLIGHT,
    maxSocketsPerHost,
    proxy: config.OUTBOUND_PROXY,
    onRefusal: (refusal) => log.warn({ ...refusal }, 'a receiver was not called: its address is not allowed'),
  });
}

/** What the engine does with callouts. */
function deliveryOf(deps: DeliverRoleDeps, results: Results, send: DeliverDeps['send']): Delivery {
  const { config, paces, pool, metrics, tracing } = deps;
  const deliverDeps = deliverDepsOf(deps, results, send);
  const leased = (claim: () => Promise<ClaimedCallout[]>) => withLeaseEnd(claim, paces.leaseMs, nowMs);
  const rules = { leaseMs: paces.leaseMs, threshold: config.CALLOUT_THRESHOLD, onHeld: metrics.onHeld };
  return {
    async claim(requested, longBodies, onGates) {
      const startedAtMs = nowMs();
      const claimed = await leased(() => claimDueCallouts(pool, requested, { ...rules, longBodies, onGates }));
      metrics.onClaim(claimed.length, nowMs() - startedAtMs, () => claimed.map(({ traceParent }) => traceParent));
      tracing?.batch(claimTrace(claimed, startedAtMs, nowMs()));
      return claimed;
    },
    async release(slotsOf, atMost, longBodies) {
      const released = await leased(() => releaseHeldCallouts(pool, { ...rules, slotsOf, atMost, longBodies }));
      metrics.onReleased(released.length);
      return released;
    },
    deliver: (callout, answered) => deliver(deliverDeps, callout, answered),
    hurry: () => results.hurry(),
  };
}

function deliverDepsOf(deps: DeliverRoleDeps, results: Results, send: DeliverDeps['send']): DeliverDeps {
  const { config, paces, pool, clock, log, metrics, tracing } = deps;
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const fixing = createBatches<LeasedCallout, LeasedCallout | null>({
    write: (callouts) => fixBodies(pool, callouts),
    gatherMs: 0,
    maxWeight: maxFixedAtOnce,
    concurrency: 2,
  });
  return {
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
    results,
    metrics,
    tracing,
    log,
  };
}

/** The spans of a claim, for each trace. */
function claimTrace(claimed: readonly ClaimedCallout[], fromMs: number, toMs: number): BatchTrace {
  const [startMs, endMs] = [performance.timeOrigin + fromMs, performance.timeOrigin + toMs];
  const parents = claimed.map(({ traceParent }) => traceParent);
  return { name: 'claim', parents, startMs, endMs, statements: [{ name: 'delivery_claim', startMs, endMs }] };
}
