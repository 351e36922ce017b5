import { nextHealth, type AttemptSignal, type ReceiverHealth } from '../deliver/breaker.ts';
import { errorLogEntry, errorNotification, type ErrorLogEntry, type ErrorNotification } from './give-up.ts';
import { isGivenUp, speaksOfHealth, type Settlement } from './settlement.ts';

/** What is known of the results of one transaction, read under the locks that it holds until its end. */
export interface LockedForSettlement {
  /** Who may settle each open callout, by its id; null: its lease was given back. Those not open any more are left out. */
  leaseOwners: ReadonlyMap<string, string | null>;
  /** By the webhook's key; those without it are well, and only a failure of an active one begins one. */
  health: ReadonlyMap<number, ReceiverHealth>;
  /** The clock of the database, read under the locks; null when no health is locked. */
  now: Date | null;
  /** Webhooks of callouts that are given up, by key. Empty when none is. */
  webhooks: ReadonlyMap<number, { isActive: boolean }>;
  /** What was sent for callouts that are given up, by their ids. */
  bodies: ReadonlyMap<string, string>;
}

export interface SettleRules {
  /** Callouts in a row that used up their attempts, after which their webhook is deactivated; 0: never. */
  deactivateAfter: number;
  /** From 0 to below 1: spreads the ends of pauses. */
  random: () => number;
}

/** The health of one receiver after these results. */
export interface HealthChange {
  tenantId: number;
  webhookKey: number;
  /** Null: it is well. */
  health: ReceiverHealth | null;
  /** What it means for the pause of its webhook; null: that is as it was. */
  pause: 'paused' | 'resumed' | null;
}

/** What the results of one transaction lead to. */
export interface SettleDecision {
  /** Results of the holders of leases: each ends its callout or gives it the time of its next attempt. */
  settled: Settlement[];
  /** Results whose lease had passed on. They count only where their callout was cancelled while it was sent. */
  late: Settlement[];
  health: HealthChange[];
  errorLogs: ErrorLogEntry[];
  notifications: ErrorNotification[];
  /** Keys of webhooks that these results deactivate, by the cause. */
  deactivate: { gone: number[]; repeatedFailure: number[] };
}

/**
 * Decides what the results of one transaction lead to, from what it has locked.
 * @param results all of them give their callout up, or none does (`settlementBatches`).
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
  const health = judgeHealth(settled, locked, rules.random);
  const after = new Map(health.map((change) => [change.webhookKey, change.health]));
  const givenUp = settled.filter(isGivenUp);
  return {
    settled,
    late,
    health,
    errorLogs: givenUp.map((settlement) => errorLogEntry(settlement, locked.bodies.get(settlement.callout.id))),
    notifications: givenUp.filter(usedUpAttempts).map((settlement) => {
      const { id, webhookKey } = settlement.callout;
      return errorNotification(settlement, after.get(webhookKey) ?? null, locked.bodies.get(id), rules.deactivateAfter);
    }),
    deactivate: webhooksToDeactivate(givenUp, after, locked.webhooks, rules.deactivateAfter),
  };
}

/**
 * Decides without having read anything, for results that are all delivered: as if each were the holder's, and no receiver
 * unwell. That is so nearly always, and may be stored where the same statement finds that it is so.
 * @returns null: something failed, and what follows from it depends on what is known of the receiver.
 */
export function presumeSettlements(results: readonly Settlement[], rules: SettleRules): SettleDecision | null {
  if (results.some(({ signal }) => signal !== 'delivered')) return null;
  const leaseOwners = new Map(results.map(({ callout }) => [callout.id, callout.leaseOwner]));
  const presumed = { leaseOwners, health: new Map(), now: null, webhooks: new Map(), bodies: new Map() };
  return judgeSettlements(results, presumed, rules);
}

/**
 * What is given up of a webhook that was deactivated meanwhile, and would have been cancelled next, is cancelled: no mail
 * tells of it, and it counts for nothing.
 */
function cancelIfDeactivated(settlement: Settlement, webhooks: LockedForSettlement['webhooks']): Settlement {
  const { kind, webhookKey } = settlement.callout;
  if (kind === 'deactivation' || !isGivenUp(settlement) || webhooks.get(webhookKey)?.isActive === true)
    return settlement;
  return { ...settlement, next: { kind: 'ended', state: 'cancelled' } };
}

/** The health of each receiver that these results say something of, where it is known or begins. */
function judgeHealth(
  settled: readonly Settlement[],
  { health: known, now }: LockedForSettlement,
  random: () => number,
): HealthChange[] {
  if (now === null) return [];
  const byWebhook = new Map<number, [Settlement, ...Settlement[]]>();
  for (const settlement of settled.filter(speaksOfHealth)) {
    const ofWebhook = byWebhook.get(settlement.callout.webhookKey);
    if (ofWebhook) ofWebhook.push(settlement);
    else byWebhook.set(settlement.callout.webhookKey, [settlement]);
  }
  return [...byWebhook].flatMap(([webhookKey, ofWebhook]) => {
    const before = known.get(webhookKey);
    if (before === undefined) return [];
    const health = nextHealth(before, ofWebhook.map(signalOf), now, random);
    const { tenantId } = ofWebhook[0].callout;
    return [{ tenantId, webhookKey, health, pause: pauseChange(before.pauses, health?.pauses ?? 0) }];
  });
}

function signalOf(settlement: Settlement): AttemptSignal {
  const { callout, signal, problem } = settlement;
  const countsAsFailed = isGivenUp(settlement) && !callout.isRedelivery;
  return { kind: signal, leaseOwner: callout.leaseOwner, failure: problem, countsAsFailed };
}

function pauseChange(pausesBefore: number, pauses: number): HealthChange['pause'] {
  if (pausesBefore === 0 && pauses > 0) return 'paused';
  return pausesBefore > 0 && pauses === 0 ? 'resumed' : null;
}

/** Only callouts of events are told of, and of a receiver that is gone the mail about the deactivation tells. */
function usedUpAttempts({ callout, next }: Settlement): boolean {
  return callout.kind === 'event' && next.kind === 'ended' && next.state === 'failed' && !next.isGone;
}

/** A receiver that says it is gone ends its webhook at once; others do by failing too often in a row. */
function webhooksToDeactivate(
  givenUp: readonly Settlement[],
  after: ReadonlyMap<number, ReceiverHealth | null>,
  webhooks: LockedForSettlement['webhooks'],
  deactivateAfter: number,
): SettleDecision['deactivate'] {
  const saidGone = new Set(
    givenUp
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
