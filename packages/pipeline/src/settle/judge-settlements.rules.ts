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

/** The data for a batch of settlements, read under locks that last until the transaction ends. */
export interface LockedForSettlement {
  /** The lease owner of each open callout, by the callout's id; null: without a lease. Ended callouts are left out. */
  leaseOwners: ReadonlyMap<string, string | null>;
  /** By the webhook's key; receivers without a row are healthy, and only a failure of an active webhook creates a row. */
  health: ReadonlyMap<number, ReceiverHealth>;
  /** The clock of the database, read under the locks; null when no health is locked. */
  now: Date | null;
  /** Webhooks of callouts that fail, by key. */
  webhooks: ReadonlyMap<number, { isActive: boolean }>;
  /** The bodies of callouts that fail, by the id of the callout. */
  bodies: ReadonlyMap<string, string>;
}

export interface SettleRules {
  /** So many callouts in a row that use up their attempts deactivate the webhook; 0: never. */
  deactivateAfter: number;
  /** How long a receiver must have failed before its webhook counts as failing, in ms. */
  failingAfterMs: number;
  /** From 0 to below 1: spreads the ends of pauses. */
  random: () => number;
}

/** The health of one receiver after a batch of settlements. */
export interface HealthChange {
  tenantId: number;
  webhookKey: number;
  /** Null: healthy. */
  health: ReceiverHealth | null;
  /** Whether the pause of the webhook begins or ends; null: no change. */
  pause: 'paused' | 'resumed' | null;
  /** The webhook was paused, failing or probed until now: callouts that wait for the next attempt are sent. */
  isRecovery: boolean;
  /** The receiver works again after a pause, a report of failures, or callouts that failed: the reported trouble is over. */
  isOver: boolean;
}

/** The effects of a batch of settlements. */
export interface SettleDecision {
  /** Under a valid lease: each ends the callout or sets the time of the next attempt. */
  settled: Settlement[];
  /** After the lease was lost: each counts only when the callout was cancelled while it was sent. */
  late: Settlement[];
  health: HealthChange[];
  errorLogs: ErrorLogEntry[];
  notifications: ErrorNotification[];
  /** Callouts of events that used up their attempts, for webhooks on `WebhookHealth`. */
  occurrences: NewOccurrence[];
  /** Keys of webhooks to deactivate, by cause. */
  deactivate: { gone: number[]; repeatedFailure: number[] };
}

/**
 * Decides the effects of a batch of settlements, from the locked rows.
 * @param settlements a batch of `settlementBatches`.
 */
export function judgeSettlements(
  settlements: readonly Settlement[],
  locked: LockedForSettlement,
  rules: SettleRules,
): SettleDecision {
  const judged = settlements.map((settlement) => cancelIfDeactivated(settlement, locked.webhooks));
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
    occurrences: usedUp.map((settlement) => {
      return failedCallout(settlement, after.get(settlement.callout.webhookKey) ?? null);
    }),
    deactivate: webhooksToDeactivate(failed, after, locked.webhooks, rules.deactivateAfter),
  };
}

/**
 * Without its failure a callout of a webhook that was deactivated meanwhile would be cancelled next, so the callout is
 * cancelled: no mail is sent and nothing is counted.
 */
function cancelIfDeactivated(settlement: Settlement, webhooks: LockedForSettlement['webhooks']): Settlement {
  const { kind, webhookKey } = settlement.callout;
  if (kind === 'deactivation' || !hasFailed(settlement) || webhooks.get(webhookKey)?.isActive === true)
    return settlement;
  return { ...settlement, next: { kind: 'ended', state: 'cancelled' } };
}

/** The health of each receiver with a signal in the settlements, where health is stored or begins. */
function judgeHealth(
  settled: readonly Settlement[],
  { health: healthBefore, now }: LockedForSettlement,
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
    const before = healthBefore.get(webhookKey);
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
 * A single failure among successes is not a recovery: for a receiver that rejects one record and accepts the rest, each
 * success would use up an attempt of the rejected record.
 */
function wasUnwell({ pauses, failingSince, isReported }: ReceiverHealth, now: Date, failingAfterMs: number): boolean {
  if (isReported) return true;
  return pauses > 0 || (failingSince !== null && now.getTime() - failingSince.getTime() >= failingAfterMs);
}

function pauseChange(pausesBefore: number, pauses: number): HealthChange['pause'] {
  if (pausesBefore === 0 && pauses > 0) return 'paused';
  return pausesBefore > 0 && pauses === 0 ? 'resumed' : null;
}

/** Mails are only about callouts of events; on 410, a mail about the deactivation replaces the mail about the callout. */
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
