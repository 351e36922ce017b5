import { ApiError } from '@callout/client';
import { createParser } from 'eventsource-parser';
import { api } from './client.ts';
import { onBack, suspectOutage } from './outage.ts';
import { queryClient } from './query-client.ts';
import { endSession, type Session, sessionQuery } from './session.ts';

/** How a page learns what happens. */
export interface LiveStatus {
  /** `asking`: the API cannot send it now. `reconnecting`: there is no connection. */
  readonly state: 'connecting' | 'live' | 'asking' | 'reconnecting';
  /** Why it is not live, for a person. */
  readonly reason: string | null;
}

export interface LiveListener {
  /** There were attempts, or some may have been missed: what is shown must be asked for. */
  onChange(): void;
  /** Called at once, and whenever it changes. */
  onStatus(status: LiveStatus): void;
}

/** A stream that all parts of a page share which watch the same. */
export interface LiveChannel {
  status(): LiveStatus;
  /** The first to listen opens the stream, the last to leave closes it. Returns how to leave. */
  listen(listener: LiveListener): () => void;
}

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
/** A page that is drawn anew leaves and comes back at once: the stream is kept so long. */
const graceMs = 500;

const connecting: LiveStatus = { state: 'connecting', reason: null };
const live: LiveStatus = { state: 'live', reason: null };
const redisAway: LiveStatus = { state: 'asking', reason: 'Redis is away' };
const reconnecting: LiveStatus = { state: 'reconnecting', reason: null };

/** Keeps one stream open while anything listens and the tab is seen, and opens it again after it has broken. */
export function createLiveChannel(webhook: LiveWebhook | undefined): LiveChannel {
  const listeners = new Set<LiveListener>();
  let status = connecting;
  let failures = 0;
  let stream: AbortController | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  function setStatus(next: LiveStatus): void {
    if (next.state === status.state && next.reason === status.reason) return;
    status = next;
    for (const listener of listeners) listener.onStatus(status);
  }

  function onEvent(event: string | undefined, data: string): void {
    failures = 0;
    if (event === 'fallback') setStatus(redisAway);
    if (event === 'ended') {
      const { reason } = JSON.parse(data) as { reason: string };
      setStatus({ state: 'reconnecting', reason: whatIsWrong(reason) });
    }
    // Attempts are sent from now on; or some were left out.
    if (event === 'live' || event === 'lost') setStatus(live);
    if (event === 'attempt' || event === 'live' || event === 'lost') {
      for (const listener of listeners) listener.onChange();
    }
  }

  /** Reads streams, one after the other, until it is closed or refused for good. */
  async function keepReading({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      let waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
      try {
        await readLive(webhook, signal, onEvent);
        // Unless the API has given the reason.
        if (!signal.aborted && status.state !== 'reconnecting') setStatus(reconnecting);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError) {
          setStatus({ state: 'asking', reason: whatIsWrong(error.message) });
          if (error.status === 401) {
            endSession(queryClient);
            await signedInAgain(signal);
          } else if (error.status < 500 && error.status !== 429) return;
          waitMs = Math.max(waitMs, 1_000 * (error.retryAfterS ?? 0));
        } else {
          setStatus(reconnecting);
          suspectOutage();
        }
      }
      failures += 1;
      // Jitter: after a restart not all viewers come back in the same moment.
      await wait(waitMs * (0.5 + Math.random() / 2), signal);
    }
  }

  function open(): void {
    if (stream !== undefined || document.hidden) return;
    stream = new AbortController();
    void keepReading(stream);
  }
  function close(): void {
    stream?.abort();
    stream = undefined;
    setStatus(connecting);
  }
  // Browsers open six connections to a host at most: a tab that is not seen must not keep one.
  const onVisibility = () => (document.hidden ? close() : open());

  return {
    status: () => status,
    listen(listener) {
      clearTimeout(leaving);
      if (listeners.size === 0) document.addEventListener('visibilitychange', onVisibility);
      listeners.add(listener);
      listener.onStatus(status);
      open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', onVisibility);
        leaving = setTimeout(close, graceMs);
      };
    },
  };
}

/** The beginning of a sentence of the API: what to do comes after it, and this does that. */
const whatIsWrong = (sentence: string): string => sentence.replace(/[.:;].*$/u, '');

/** Resolves when there is a session again, or at the end. */
function signedInAgain(signal: AbortSignal): Promise<void> {
  const isSignedIn = () => {
    const session = queryClient.getQueryData<Session | null>(sessionQuery.queryKey);
    return session != null && session.hasEnded !== true;
  };
  return new Promise((resolve) => {
    const leave = queryClient.getQueryCache().subscribe(() => isSignedIn() && end());
    function end(): void {
      leave();
      resolve();
    }
    signal.addEventListener('abort', end);
    if (signal.aborted || isSignedIn()) end();
  });
}

/** Waits; no longer than until the API is back. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = onBack(end);
    signal.addEventListener('abort', end);
  });
}

/** The webhook that is watched. */
export interface LiveWebhook {
  readonly entityType: string;
  readonly webhookID: number;
}

/** The API sends a heartbeat every 15 s: a stream that is silent for longer than this is dead. */
const silenceMs = 45_000;

/**
 * Reads `GET /Live` until the stream ends. With fetch, since EventSource can send no header.
 * @param webhook undefined: all webhooks that the session sees.
 * @param signal ends it.
 * @param onEvent gets the name of each event, and its data as text.
 * @throws ApiError when the API refuses; what fetch throws when the connection breaks.
 */
export async function readLive(
  webhook: LiveWebhook | undefined,
  signal: AbortSignal,
  onEvent: (event: string | undefined, data: string) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const parser = createParser({ onEvent: ({ event, data }) => onEvent(event, data) });
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
