import type { Settlement } from '@callout/core/settle';
import type { LiveResult } from '@callout/queue';

/** What is told of results to those who watch. */
export function liveResultsOf(settlements: readonly Settlement[]): (LiveResult & { readonly tenantId: number })[] {
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
