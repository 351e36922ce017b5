import type { Logger } from '../log/logger.ts';

/** A thing to finish or close, such as `{ name: 'http server', stop: () => server.close() }`. */
export interface StopStep {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

/** The parts of `process` that are used; tests pass their own. */
export interface StoppableProcess {
  on(event: 'SIGTERM' | 'SIGINT' | 'disconnect', listener: () => void): unknown;
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  exit(status: number): void;
}

/**
 * How long a stopping process may take: below the 30 s of Kubernetes and others, and longer than a usual call with its
 * time limit.
 */
export const drainTimeoutMs = 25_000;

interface LifecycleDeps {
  readonly log: Logger;
  /**
   * The longest time of all steps together; then the process exits with status 1 and the remaining steps are cut off.
   */
  readonly drainTimeoutMs: number;
  readonly process: StoppableProcess;
  readonly now?: () => number;
}

export interface Lifecycle {
  /** True from the first signal on: readiness is 503, and the load balancer uses other processes. */
  isStopping(): boolean;
}

/**
 * One press of Ctrl-C reaches a process several times: the terminal signals the whole group, and npm or a parent passes
 * the signal on. Only a later signal is a second press.
 */
const SAME_PRESS_MS = 500;

/**
 * Stops the process in order on SIGTERM or SIGINT, or when the parent behind an IPC channel goes away. Steps run one
 * after another in the given order, also after a failed step. The process exits with status 0, with 1 when a step
 * failed or time ran out, and at once with 1 on a second signal or an uncaught exception.
 */
export function stopOnSignals(deps: LifecycleDeps, steps: readonly StopStep[]): Lifecycle {
  const now = deps.now ?? Date.now;
  let stoppingSince: number | undefined;
  let deadline: NodeJS.Timeout | undefined;

  function exit(status: number): void {
    clearTimeout(deadline);
    deps.process.exit(status);
  }

  async function stop(reason: string): Promise<void> {
    stoppingSince = now();
    deps.log.info({ reason, drainTimeoutMs: deps.drainTimeoutMs }, 'stopping');
    deadline = setTimeout(() => {
      deps.log.error({ drainTimeoutMs: deps.drainTimeoutMs }, 'stopping took too long');
      exit(1);
    }, deps.drainTimeoutMs);
    let failed = 0;
    for (const step of steps) {
      try {
        await step.stop();
        deps.log.debug({ step: step.name }, 'step stopped');
      } catch (err) {
        failed += 1;
        deps.log.error({ err, step: step.name }, 'step failed to stop');
      }
    }
    deps.log.info({ tookMs: now() - stoppingSince }, 'stopped');
    exit(failed === 0 ? 0 : 1);
  }

  const onSignal = (signal: string) => () => {
    if (stoppingSince === undefined) {
      void stop(signal);
      return;
    }
    if (now() - stoppingSince < SAME_PRESS_MS) return;
    deps.log.warn({ signal }, 'second signal: exiting at once');
    exit(1);
  };
  deps.process.on('SIGTERM', onSignal('SIGTERM'));
  deps.process.on('SIGINT', onSignal('SIGINT'));
  deps.process.on('disconnect', () => {
    if (stoppingSince === undefined) void stop('parent went away');
  });
  deps.process.on('uncaughtException', (err) => {
    // The state is unknown now. PostgreSQL has everything that matters: a new process is safer.
    deps.log.fatal({ err }, 'uncaught exception');
    exit(1);
  });
  return { isStopping: () => stoppingSince !== undefined };
}
