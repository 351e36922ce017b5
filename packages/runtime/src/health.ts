import type { Logger } from './logger.ts';

/** An answer of `/healthz` or `/readyz`: the status and its JSON body. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: string;
    readonly checks?: Record<string, string>;
    readonly notices?: readonly string[];
  };
}

interface HealthDeps {
  readonly log: Logger;
  /** Named checks; one that rejects, or takes longer than `checkTimeoutMs`, means not ready. */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** What an operator should know although the process can work, in words that anybody may read. */
  readonly notices?: () => Promise<readonly string[]>;
  readonly isStopping: () => boolean;
  readonly checkTimeoutMs?: number;
}

export interface Health {
  /** The process runs. It asks nothing else: a process is not to be restarted because its database is away. */
  live(): HealthAnswer;
  /** The process can do its work now. Reasons go to the log; the answer needs no credentials and names checks only. */
  ready(): Promise<HealthAnswer>;
}

/** What `/healthz` and `/readyz` answer, for the API and for the worker's health server. */
export function createHealth(deps: HealthDeps): Health {
  const timeoutMs = deps.checkTimeoutMs ?? 2000;

  async function run(name: string, check: () => Promise<unknown>): Promise<'ok' | 'failed'> {
    try {
      await withinMs(timeoutMs, check());
      return 'ok';
    } catch (err) {
      deps.log.warn({ err, check: name }, 'not ready');
      return 'failed';
    }
  }

  async function notices(): Promise<readonly string[]> {
    if (deps.notices === undefined) return [];
    try {
      return await withinMs(timeoutMs, deps.notices());
    } catch (err) {
      deps.log.warn({ err }, 'it is not known now whether there are notices');
      return [];
    }
  }

  return {
    live: () => ({ status: 200, body: { status: 'ok' } }),
    async ready() {
      if (deps.isStopping()) return { status: 503, body: { status: 'stopping' } };
      const results = await Promise.all(
        Object.entries(deps.checks).map(async ([name, check]) => [name, await run(name, check)] as const),
      );
      const isReady = results.every(([, result]) => result === 'ok');
      const found = isReady ? await notices() : [];
      return {
        status: isReady ? 200 : 503,
        body: {
          status: isReady ? 'ready' : 'not ready',
          checks: Object.fromEntries(results),
          ...(found.length === 0 ? {} : { notices: found }),
        },
      };
    },
  };
}

async function withinMs<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
