/** A request to stop everything. Thrown where it is noticed first, caught at the top; not a failure. */
export class StopRequested extends Error {
  override readonly name = 'StopRequested';
}

/** The parts of `process` that are used; tests pass their own. */
export interface StoppableProcess {
  on(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  readonly ppid: number;
}

interface StopDeps {
  readonly process: StoppableProcess;
  /** Called at a second press of Ctrl-C: no more waiting. */
  readonly force: () => void;
  readonly now?: () => number;
  readonly lookEveryMs?: number;
}

/**
 * One press of Ctrl-C arrives twice, from the terminal and passed on by npm. Only a signal after this is a second
 * press.
 */
const SAME_PRESS_MS = 500;

/**
 * A signal that is aborted with a `StopRequested` by SIGINT, SIGTERM, or when the parent process is gone: npm that was
 * killed with SIGKILL sends no signal, but the children get another parent.
 */
export function listenForStop({ process, force, now = Date.now, lookEveryMs = 500 }: StopDeps): AbortSignal {
  const controller = new AbortController();
  let requestedAt = 0;
  const request = (reason: string) => {
    if (!controller.signal.aborted) {
      requestedAt = now();
      controller.abort(new StopRequested(reason));
    } else if (now() - requestedAt >= SAME_PRESS_MS) {
      force();
    }
  };
  process.on('SIGINT', () => request('SIGINT'));
  process.on('SIGTERM', () => request('SIGTERM'));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!controller.signal.aborted) request('the process that started this one is gone');
  }, lookEveryMs);
  watch.unref();
  return controller.signal;
}

/** Rejects with the reason of the signal as soon as it is aborted, and never resolves. */
export function whenStopped(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // Callers that race against the stop see the rejection; without callers, the rejection is not unhandled.
  stopped.catch(() => undefined);
  return stopped;
}
