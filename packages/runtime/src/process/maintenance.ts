import { logRepeats } from '../log/log-repeats.ts';
import type { Logger } from '../log/logger.ts';

/** A task repeated with a pause, independent of the duration of the task. */
export interface MaintenanceTask {
  name: string;
  everyMs: number;
  /** @param isStopping for the task to check between two parts of the work. */
  work: (isStopping: () => boolean) => Promise<void>;
}

export interface MaintenanceDeps {
  log: Logger;
  /** `onTaskEnd`: called when one has ended. */
  metrics: { readonly onTaskEnd: (name: string, durationMs: number, isDone: boolean) => void };
}

export interface Maintenance {
  /** Starts no further task and waits for the running ones. */
  stop(): Promise<void>;
}

/** The pause after a failure. */
const retryMs = 60_000;

/** Runs each maintenance task periodically, independent of the rest: a slow or failing task delays no other task. */
export function startMaintenance(tasks: readonly MaintenanceTask[], { log, metrics }: MaintenanceDeps): Maintenance {
  let isStopping = false;
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  async function once({ name, everyMs, work }: MaintenanceTask, onError: (error: unknown) => void): Promise<number> {
    const startedAtMs = performance.now();
    try {
      await work(() => isStopping);
      metrics.onTaskEnd(name, performance.now() - startedAtMs, true);
      return everyMs;
    } catch (error) {
      metrics.onTaskEnd(name, performance.now() - startedAtMs, false);
      onError(error);
      return Math.min(retryMs, everyMs);
    }
  }

  function begin(task: MaintenanceTask, onError: (error: unknown) => void): void {
    underWay.set(task.name, run(task, onError));
  }

  async function run(task: MaintenanceTask, onError: (error: unknown) => void): Promise<void> {
    const waitMs = await once(task, onError);
    if (!isStopping) timers.set(task.name, setTimeout(begin, waitMs, task, onError));
  }

  for (const task of tasks) begin(task, logRepeats(log, `the chore '${task.name}' failed; it is tried again`));
  return {
    async stop() {
      isStopping = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
