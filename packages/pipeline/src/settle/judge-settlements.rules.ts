import { nextHealth, type AttemptSignal, type ReceiverHealth } from './breaker.rules.ts';
import type { NewOccurrence } from '../health/occurrence.rules.ts';
import {
  errorLogEntry,
  errorNotification,
  failedCallout,
  type ErrorLogEntry,
  type ErrorNotification,
} from './failed-callout.rules.ts';
import { hasFailed, isProbe, affectsHealth, isRefusal, type Settlement } from './settlement.rules.ts';

/** Data for the results of one transaction, read under locks that last until its end. */
export interface LockedForSettlement {
  /**
   * The lease owner of each open callout, by its id; null when its lease was given back. Ended callouts are left out.
   */
  leaseOwners: ReadonlyMap<string, string | null>;
  /** By the webhook's key; receivers without it are healthy, and only a failure of an active webhook creates one. */
  health: ReadonlyMap<number, ReceiverHealth>;
  /** The clock of the database, read under the locks; null when no health is locked. */
  now: Date | null;
  /** Webhooks of callouts that fail, by key. Empty when none is. */
  webhooks: ReadonlyMap<number, { isActive: boolean }>;
  /** The bodies of callouts that fail, by their ids. */
  bodies: ReadonlyMap<string, string>;
}

export interface SettleRules {
  /** Number of callouts in a row that used up their attempts which deactivates their webhook; 0: never. */
  deactivateAfter: number;
  /** How long a receiver must have failed before its webhook counts as failing, in ms. */
  failingAfterMs: number;
  /** From 0 to below 1: spreads the ends of pauses. */
  random: () => number;
}

/** The health of one receiver after these results. */
export interface HealthChange {
  tenantId: number;
  webhookKey: number;
  /** Null when it is healthy. */
  health: ReceiverHealth | null;
  /** Whether the pause of its webhook begins or ends; null when it does not change. */
  pause: 'paused' | 'resumed' | null;
  /** The webhook was paused, failing or probed until now: callouts that wait for their next attempt are sent. */
  isRecovery: boolean;
  /** It delivers again after a pause, a report that it is failing, or callouts that failed: what was reported is over. */
  isOver: boolean;
}

/** The effects of the results of one transaction. */
export interface SettleDecision {
  /** Results under a valid lease: each ends its callout or sets the time of its next attempt. */
  settled: Settlement[];
  /** Results whose lease was lost. They count only when their callout was cancelled while it was sent. */
  late: Settlement[];
  health: HealthChange[];
  errorLogs: ErrorLogEntry[];
  notifications: ErrorNotification[];
  /** Callouts of events that used up their attempts, for webhooks on `WebhookHealth`. */
  occurrences: NewOccurrence[];
  /** Keys of webhooks that these results deactivate, by cause. */
  deactivate: { gone: number[]; repeatedFailure: number[] };
}

/**
 * Decides the effects of the results of one transaction, from the rows that it has locked.
 * @param results either all give their callout up, or none does (`settlementBatches`).
 */
export function judgeSettlements(
  results: readonly Settlement[],
  locked: LockedForSettlement,
  rules: SettleRules,
): SettleDecision {
  const judged = results.map((result) => cancelIfDeactivated(result, locked.webhooks));
  const isHolder = ({ callout }: Settlement) => locked.leaseOwners.get(callout.id) === callout.leaseOwner;
  const settled = judged.filter(isHolder);
  const late = judged.filter((settlement) => !isHolder(settlement));
  const health = judgeHealth(settled, locked, rules);
  const after = new Map(health.map((change) => [change.webhookKey, change.health]));
  const failed = settled.filter(hasFailed);
  const usedUp = failed.filter(usedUpAttempts);
  return {
    settled,
    late,
    health,
    errorLogs: failed.map((settlement) => errorLogEntry(settlement, locked.bodies.get(settlement.callout.id))),
    notifications: usedUp.map((settlement) => {
      const { id, webhookKey } = settlement.callout;
      return errorNotification(settlement, after.get(webhookKey) ?? null, locked.bodies.get(id), rules.deactivateAfter);
    }),
    occurrences: usedUp.map((one) => failedCallout(one, after.get(one.callout.webhookKey) ?? null)),
    deactivate: webhooksToDeactivate(failed, after, locked.webhooks, rules.deactivateAfter),
  };
}

/**
 * Decides without having read anything, for results that are all delivered: it assumes that every lease is valid and
 * every receiver healthy. That is nearly always true, and the statement that stores the decision checks it.
 * @returns null when an attempt failed: its effect depends on the health of the receiver.
 */
export function judgeOptimistically(results: readonly Settlement[], rules: SettleRules): SettleDecision | null {
  if (results.some(({ signal }) => signal !== 'delivered')) return null;
  const leaseOwners = new Map(results.map(({ callout }) => [callout.id, callout.leaseOwner]));
  const assumed = { leaseOwners, health: new Map(), now: null, webhooks: new Map(), bodies: new Map() };
  return judgeSettlements(results, assumed, rules);
}

/**
 * A failed callout of a webhook that was deactivated meanwhile would have been cancelled next, so it is cancelled: it
 * causes no mail and is not counted.
 */
function cancelIfDeactivated(settlement: Settlement, webhooks: LockedForSettlement['webhooks']): Settlement {
  const { kind, webhookKey } = settlement.callout;
  if (kind === 'deactivation' || !hasFailed(settlement) || webhooks.get(webhookKey)?.isActive === true)
    return settlement;
  return { ...settlement, next: { kind: 'ended', state: 'cancelled' } };
}

/** The health of each receiver with a signal in these results, where it is stored or begins. */
function judgeHealth(
  settled: readonly Settlement[],
  { health: known, now }: LockedForSettlement,
  { random, failingAfterMs }: SettleRules,
): HealthChange[] {
  if (now === null) return [];
  const byWebhook = new Map<number, [Settlement, ...Settlement[]]>();
  for (const settlement of settled.filter(affectsHealth)) {
    const ofWebhook = byWebhook.get(settlement.callout.webhookKey);
    if (ofWebhook) ofWebhook.push(settlement);
    else byWebhook.set(settlement.callout.webhookKey, [settlement]);
  }
  return [...byWebhook].flatMap(([webhookKey, ofWebhook]) => {
    const before = known.get(webhookKey);
    if (before === undefined) return [];
    const health = nextHealth(before, ofWebhook.map(signalOf), now, random);
    const { tenantId } = ofWebhook[0].callout;
    const pause = pauseChange(before.pauses, health?.pauses ?? 0);
    const isRecovery =
      health === null && (wasUnwell(before, now, failingAfterMs) || ofWebhook.some(({ callout }) => isProbe(callout)));
    const isOver = health === null && (before.pauses > 0 || before.isReported || before.failedInRow > 0);
    return [{ tenantId, webhookKey, health, pause, isRecovery, isOver }];
  });
}

function signalOf(settlement: Settlement): AttemptSignal {
  const { callout, attempt, signal, problem, askedWaitMs = 0 } = settlement;
  const countsAsFailed = hasFailed(settlement) && !callout.isRedelivery;
  return {
    kind: signal,
    leaseOwner: callout.leaseOwner,
    durationMs: attempt.durationMs,
    failure: problem,
    countsAsFailed,
    askedWaitMs,
    ...(isProbe(callout) && isRefusal(attempt.status) && { refusedNumber: callout.sequenceNumber }),
  };
}

/**
 * A single failure among successes is not a recovery: a receiver that rejects one record and accepts the others would
 * otherwise use up the attempts of that one with each success.
 */
function wasUnwell({ pauses, failingSince, isReported }: ReceiverHealth, now: Date, failingAfterMs: number): boolean {
  if (isReported) return true;
  return pauses > 0 || (failingSince !== null && now.getTime() - failingSince.getTime() >= failingAfterMs);
}

function pauseChange(pausesBefore: number, pauses: number): HealthChange['pause'] {
  if (pausesBefore === 0 && pauses > 0) return 'paused';
  return pausesBefore > 0 && pauses === 0 ? 'resumed' : null;
}

/** Mails are only about callouts of events; on 410, the mail about the deactivation replaces that about the callout. */
function usedUpAttempts({ callout, next }: Settlement): boolean {
  return callout.kind === 'event' && next.kind === 'ended' && next.state === 'failed' && !next.isGone;
}

/** On 410 a webhook is deactivated at once; otherwise after too many failures in a row. */
function webhooksToDeactivate(
  failed: readonly Settlement[],
  after: ReadonlyMap<number, ReceiverHealth | null>,
  webhooks: LockedForSettlement['webhooks'],
  deactivateAfter: number,
): SettleDecision['deactivate'] {
  const saidGone = new Set(
    failed
      .filter((settlement) => settlement.callout.kind === 'event' && !usedUpAttempts(settlement))
      .map(({ callout }) => callout.webhookKey),
  );
  const active = [...webhooks].flatMap(([key, { isActive }]) => (isActive ? [key] : []));
  const isFailing = (key: number): boolean =>
    deactivateAfter > 0 && (after.get(key)?.failedInRow ?? 0) >= deactivateAfter;
  return {
    gone: active.filter((key) => saidGone.has(key)),
    repeatedFailure: active.filter((key) => !saidGone.has(key) && isFailing(key)),
  };
}
