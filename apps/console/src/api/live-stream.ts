import { createParser } from 'eventsource-parser';
import type { Schemas } from '@callout/client';
import { api } from './client.ts';

/** The webhook that is watched. */
export interface LiveWebhook {
  readonly entityType: string;
  readonly webhookID: number;
}

export type LiveAttempt = Schemas['LiveAttempt'];

/** What the stream says. */
export type LiveEvent =
  | { readonly kind: 'attempt'; readonly attempt: LiveAttempt }
  /** From now on attempts are sent. */
  | { readonly kind: 'live' }
  /** Attempts cannot be sent at present. */
  | { readonly kind: 'fallback' }
  /** Attempts were left out. */
  | { readonly kind: 'lost' }
  /** The API ends the stream, and why, in a sentence. */
  | { readonly kind: 'ended'; readonly reason: string };

/** The API sends a heartbeat every 15 s: a stream that is silent for longer than this is dead. */
const silenceMs = 45_000;

/**
 * Reads `GET /Live` until the stream ends. With fetch, since EventSource can send no header.
 * @param webhook undefined: all webhooks that the session sees.
 * @param signal ends it.
 * @throws ApiError when the API refuses; what fetch throws when the connection breaks.
 */
export async function readLive(
  webhook: LiveWebhook | undefined,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'attempt') onEvent({ kind: event, attempt: JSON.parse(data) as LiveAttempt });
      else if (event === 'ended') onEvent({ kind: event, ...(JSON.parse(data) as { reason: string }) });
      else if (event === 'live' || event === 'fallback' || event === 'lost') onEvent({ kind: event });
    },
  });
  try {
    const { data } = await api.GET('/v1.0/Live', {
      params: webhook ? { query: { entityType: webhook.entityType, webhookID: webhook.webhookID } } : {},
      parseAs: 'stream' as const,
      cache: 'no-store',
      headers: { Accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    const reader = data?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      parser.feed(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
}
