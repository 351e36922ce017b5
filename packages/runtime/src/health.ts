import { keepFor } from './concurrency/keep-for.ts';
import { logRepeats } from './log/log-repeats.ts';
import type { Logger } from './log/logger.ts';

/** A response of `/healthz` or `/readyz`: the status and its JSON body. */
export interface HealthResponse {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: string;
    readonly checks?: Record<string, string>;
    readonly notices?: readonly string[];
  };
}

interface HealthDeps {
  readonly log: Logger;
  /**
   * Named checks. Each returns a problem as a text that is not confidential, or nothing. A problem means not ready, as
   * does a check that rejects, or takes longer than `checkTimeoutMs`.
   */
  readonly checks: Readonly<Record<string, () => Promise<readonly string[]>>>;
  /** Notices for operators although the process can work, as texts that are not confidential. */
  readonly notices?: () => Promise<readonly string[]>;
  readonly isStopping: () => boolean;
  readonly checkTimeoutMs?: number;
  /** A clock in milliseconds; `Date.now` unless given. */
  readonly nowMs?: () => number;
}

/** How long a result is kept. Anyone may ask, and each check is several statements. */
const KEPT_MS = 1_000;

export interface Health {
  /** The process runs. Checks nothing else: a process must not be restarted because the database is away. */
  live(): HealthResponse;
  /**
   * The process can do its work now. The response needs no credentials: only the code of an error is shown, the log has
   * everything, and all requests within a second share a check.
   */
  ready(): Promise<HealthResponse>;
}

/** The responses to `/healthz` and `/readyz`, for the API and for the worker's health server. */
export function createHealth(deps: HealthDeps): Health {
  const timeoutMs = deps.checkTimeoutMs ?? 2000;
  const noAnswer = `no answer within ${timeoutMs} ms`;
  const onNoticesFailed = logRepeats(deps.log, 'notices could not be read');

  /** The last results of the checks: a probe every few seconds logs changes, and not the same for hours. */
  const lastResults = new Map<string, string>();

  async function run(name: string, check: () => Promise<readonly string[]>): Promise<string> {
    let result = 'ok';
    let err: unknown;
    try {
      const problems = await withinMs(timeoutMs, check());
      if (problems === 'late') result = `failed: ${noAnswer}`;
      else if (problems.length > 0) result = `failed: ${problems.join('; ')}`;
    } catch (error) {
      err = error;
      result = `failed: ${shownOf(error)}`;
    }
    if (result !== (lastResults.get(name) ?? 'ok')) {
      // The same level as the message before: with LOG_LEVEL=warn the first message alone would look like a lasting
      // outage.
      if (result === 'ok') deps.log.warn({ check: name }, 'ready again');
      else deps.log.warn({ check: name, result, ...(err === undefined ? {} : { err }) }, 'not ready');
    }
    lastResults.set(name, result);
    return result;
  }

  async function notices(): Promise<readonly string[]> {
    if (deps.notices === undefined) return [];
    try {
      const noticesNow = await withinMs(timeoutMs, deps.notices());
      if (noticesNow !== 'late') return noticesNow;
      onNoticesFailed(new Error(noAnswer));
      return [];
    } catch (error) {
      onNoticesFailed(error);
      return [];
    }
  }

  async function checkAll(): Promise<HealthResponse> {
    const results = await Promise.all(
      Object.entries(deps.checks).map(async ([name, check]) => [name, await run(name, check)] as const),
    );
    const isReady = results.every(([, result]) => result === 'ok');
    const noticesNow = isReady ? await notices() : [];
    return {
      status: isReady ? 200 : 503,
      body: {
        status: isReady ? 'ready' : 'not ready',
        checks: Object.fromEntries(results),
        ...(noticesNow.length === 0 ? {} : { notices: noticesNow }),
      },
    };
  }
  const checked = keepFor(KEPT_MS, checkAll, deps.nowMs ?? Date.now);

  return {
    live: () => ({ status: 200, body: { status: 'ok' } }),
    ready: async () => (deps.isStopping() ? { status: 503, body: { status: 'stopping' } } : checked()),
  };
}

/** Messages of drivers name hosts, users and statements; codes do not. */
function shownOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? `${code}, see the log` : 'see the log';
}

async function withinMs<T>(timeoutMs: number, work: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
