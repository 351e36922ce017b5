import { ApiError } from '@callout/client';
import { onBack, suspectOutage } from './outage.ts';
import { queryClient } from './query-client.ts';
import { readLive, type LiveAttempt, type LiveEvent, type LiveWebhook } from './live-stream.ts';
import { endSession, sessionQuery, type Session } from './session.ts';

/** How a page learns what happens. */
export interface LiveStatus {
  /** `asking`: the API cannot send it now. `reconnecting`: there is no connection. */
  readonly state: 'connecting' | 'live' | 'asking' | 'reconnecting';
  /** Why it is not live, for a person. */
  readonly reason: string | null;
}

export interface LiveListener {
  onAttempt(attempt: LiveAttempt): void;
  /** Attempts may have been missed: what is shown must be asked for once. */
  onMissed(): void;
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

  function onEvent(event: LiveEvent): void {
    failures = 0;
    if (event.kind === 'attempt') for (const listener of listeners) listener.onAttempt(event.attempt);
    else if (event.kind === 'fallback') setStatus(redisAway);
    else if (event.kind === 'ended') setStatus({ state: 'reconnecting', reason: whatIsWrong(event.reason) });
    else {
      setStatus(live);
      for (const listener of listeners) listener.onMissed();
    }
  }

  /** Reads streams, one after the other, until it is closed or refused for good. */
  async function keepReading({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      let waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
      try {
        await readLive(webhook, signal, onEvent);
        // Unless the API has said why.
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
