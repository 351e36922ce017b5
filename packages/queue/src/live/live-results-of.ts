import type { LiveResult } from './live-result.ts';

/** The data of a settlement that is published. */
interface Settled {
  readonly callout: {
    readonly id: string;
    readonly tenantId: number;
    readonly webhookKey: number;
    readonly recordId: number;
    readonly sequenceNumber: number;
    readonly kind: string;
  };
  readonly attempt: {
    readonly number: number;
    readonly startedAt: Date;
    readonly durationMs: number;
    readonly status: number | null;
  };
  readonly problem: string | null;
  readonly next:
    | { readonly kind: 'ended'; readonly state: 'delivered' | 'failed' | 'cancelled' }
    | { readonly kind: 'retry'; readonly waitMs: number };
}

/** The published results of settlements. */
export function liveResultsOf(settlements: readonly Settled[]): (LiveResult & { readonly tenantId: number })[] {
  return settlements.map(({ callout, attempt, problem, next }) => ({
    tenantId: callout.tenantId,
    calloutId: callout.id,
    webhookKey: callout.webhookKey,
    recordId: callout.recordId,
    sequenceNumber: callout.sequenceNumber,
    kind: callout.kind,
    state: next.kind === 'ended' ? next.state : 'due',
    attempt: attempt.number,
    startedAtMs: attempt.startedAt.getTime(),
    durationMs: attempt.durationMs,
    status: attempt.status,
    reason: problem,
    nextInMs: next.kind === 'retry' ? next.waitMs : null,
  }));
}
