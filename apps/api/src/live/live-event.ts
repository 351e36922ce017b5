import type { WebhookPlace } from '@callout/tenancy/sessions/webhook-owner';
import type { LiveResult } from '@callout/queue/live-result';

/** Keeps proxies from taking the connection for dead. */
export const HEARTBEAT = ': heartbeat\n\n';

/** A server-sent event. JSON has no line break of its own. */
export function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The result of an attempt, in the terms of the delivery log. */
export function liveEvent(result: LiveResult, place: WebhookPlace) {
  const { startedAtMs, durationMs, nextInMs } = result;
  const isOfRecord = result.kind === 'event';
  return {
    calloutID: result.calloutId,
    entityType: place.entityType,
    webhookID: place.id,
    recordID: isOfRecord ? result.recordId : null,
    sequenceNumber: result.sequenceNumber,
    kind: result.kind,
    state: result.state,
    attempt: {
      number: result.attempt,
      startDateTime: new Date(startedAtMs),
      durationMs,
      status: result.status,
      reason: result.reason,
    },
    nextAttemptDateTime: nextInMs === null ? null : new Date(startedAtMs + durationMs + nextInMs),
  };
}
