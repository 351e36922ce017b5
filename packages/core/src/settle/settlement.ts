import type { AttemptSignal } from '../deliver/breaker.ts';

/** What a callout is for. Only those of events wait for a record, count for a threshold, and speak of a receiver's health. */
export type CalloutKind = 'event' | 'deactivation' | 'test';

/** Both sides of one exchange, as the delivery log keeps it. */
export interface Attempt {
  id: string;
  /** 1 for the first. */
  number: number;
  startedAt: Date;
  durationMs: number;
  url: string;
  /** JSON, secrets redacted. */
  requestHeaders: string;
  /** Null when no answer came. */
  status: number | null;
  responseHeaders: string | null;
  responseBody: Buffer | null;
  failureReason: string | null;
  failure: string | null;
}

/** The callout that an attempt was made for, under the lease that it was made with. */
export interface AttemptedCallout {
  id: string;
  tenantId: number;
  webhookKey: number;
  recordId: number;
  sequenceNumber: number;
  kind: CalloutKind;
  isRedelivery: boolean;
  leaseOwner: string;
  /** The `traceparent` of the request that brought its event; null or absent: it was not traced. */
  traceParent?: string | null;
}

/** One attempt and what follows from it. */
export interface Settlement {
  callout: AttemptedCallout;
  attempt: Attempt;
  /** What the attempt says of the receiver. */
  signal: AttemptSignal['kind'];
  /** What went wrong, in words; null when it was delivered. */
  problem: string | null;
  next:
    | { kind: 'ended'; state: 'delivered' | 'cancelled' }
    /** `isGone`: the receiver said that it is gone for good. */
    | { kind: 'ended'; state: 'failed'; isGone: boolean }
    | { kind: 'retry'; waitMs: number };
}

/** The `traceparent`s that results belong to. */
export function tracesOf(settlements: readonly Settlement[]): (string | null | undefined)[] {
  return settlements.map(({ callout }) => callout.traceParent);
}

/** Those of these results that were stored: a late one came after the lease of its callout had passed on. */
export function withoutLate(
  settlements: readonly Settlement[],
  lateCalloutIds: readonly string[],
): readonly Settlement[] {
  if (lateCalloutIds.length === 0) return settlements;
  const late = new Set(lateCalloutIds);
  return settlements.filter(({ callout }) => !late.has(callout.id));
}

/** Whether the callout is given up and its webhook's people are told. The end of a test is told to its caller alone. */
export function isGivenUp({ callout, next }: Settlement): boolean {
  return callout.kind !== 'test' && next.kind === 'ended' && next.state === 'failed';
}

/** Whether this attempt says something of the receiver: only callouts of events do, and none that it leaves cancelled. */
export function speaksOfHealth({ callout, next }: Settlement): boolean {
  return callout.kind === 'event' && !(next.kind === 'ended' && next.state === 'cancelled');
}

/**
 * Splits results into transactions. Those that give a callout up have transactions of their own, since they need the
 * locks of webhooks, which match needs too. No batch has two results of one record: they only meet when a lease was lost
 * and an earlier callout was redelivered; the end of one then makes the other one due, which one statement cannot do to a
 * row that it deletes.
 * @returns batches in which all results give their callout up, or none does; those that do come last.
 */
export function settlementBatches(settlements: readonly Settlement[]): Settlement[][] {
  const givenUp = settlements.filter(isGivenUp);
  const others = settlements.filter((settlement) => !isGivenUp(settlement));
  return [others, givenUp].flatMap(onePerRecord);
}

function onePerRecord(settlements: readonly Settlement[]): Settlement[][] {
  const batches: Map<string, Settlement>[] = [];
  for (const settlement of settlements) {
    const { webhookKey, recordId } = settlement.callout;
    const name = `${webhookKey}/${recordId}`;
    const batch = batches.find((one) => !one.has(name));
    if (batch === undefined) batches.push(new Map([[name, settlement]]));
    else batch.set(name, settlement);
  }
  return batches.map((batch) => [...batch.values()]);
}
