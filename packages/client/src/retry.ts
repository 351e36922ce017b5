/** How requests are repeated. */
export interface RetryOptions {
  /** Attempts in all, the first included. Default 5. */
  readonly attempts?: number | undefined;
  /** A longer `Retry-After` is not waited for: the answer is thrown. In seconds; default 60. */
  readonly longestWaitSeconds?: number | undefined;
  /** Waits so many milliseconds; for tests. */
  readonly sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

type Send = (request: Request) => Promise<Response>;

/** Before the second attempt, in milliseconds; doubled before each further one. */
const FIRST_WAIT_MS = 500;

/**
 * Sends a request again when that does no harm:
 * - answered 429: it was not carried out.
 * - answered 503, or not answered: what only reads, what sets something to a value (`PUT`, `PATCH`), and what has an
 *   `Idempotency-Key`. It is not known whether the request was carried out. With `If-Match` a repeat would find its own
 *   change, and be answered 412.
 *
 * The API says in `Retry-After` when; without it, the waits are 0.5, 1, 2 and 4 s, each give or take a fifth.
 */
export function retrying(send: Send, options: RetryOptions = {}): Send {
  const { attempts = 5, longestWaitSeconds = 60, sleep = wait } = options;
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts;
      // A body is read when sent, so each attempt but the last has a copy.
      const outcome = await send(isLast ? request : request.clone()).catch((error: unknown) => ({ error }));
      if (!(outcome instanceof Response)) {
        if (isLast || request.signal.aborted || !isSafeToRepeat(request)) throw outcome.error;
        await sleep(backoffMs(attempt), request.signal);
        continue;
      }
      if (isLast || !(outcome.status === 429 || (outcome.status === 503 && isSafeToRepeat(request)))) return outcome;
      const seconds = Number(outcome.headers.get('Retry-After') ?? Number.NaN);
      if (seconds > longestWaitSeconds) return outcome;
      await outcome.body?.cancel();
      await sleep(seconds >= 0 ? seconds * 1000 : backoffMs(attempt), request.signal);
    }
  };
}

function isSafeToRepeat(request: Request): boolean {
  if (request.headers.has('If-Match')) return false;
  if (['GET', 'HEAD', 'PUT', 'PATCH'].includes(request.method) || request.headers.has('Idempotency-Key')) return true;
  return request.method === 'POST' && /\/query(?:\/count)?$/u.test(new URL(request.url).pathname);
}

/** Spread, so many clients of a failing service do not come back at once. */
function backoffMs(attempt: number): number {
  return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.8 + 0.4 * Math.random());
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', abort, { once: true });

    function done(): void {
      signal.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }
  });
}
