/** What is used of `process`, where there is one. */
interface ProcessSignals {
  on(name: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  removeListener(name: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface StopSignal {
  readonly signal: AbortSignal;
  abort(): void;
  /** Listens no longer. */
  forget(): void;
}

/**
 * A signal that is aborted with the given signal; without a given signal, on SIGTERM and SIGINT. A second SIGTERM or
 * SIGINT ends the process.
 */
export function stopSignalOf(callerSignal: AbortSignal | undefined): StopSignal {
  const controller = new AbortController();
  const { process } = globalThis as { process?: ProcessSignals };
  const names = ['SIGTERM', 'SIGINT'] as const;

  function forget(): void {
    callerSignal?.removeEventListener('abort', abort);
    for (const name of names) process?.removeListener(name, abort);
  }
  function abort(): void {
    forget();
    controller.abort();
  }

  if (callerSignal?.aborted === true) controller.abort();
  else if (callerSignal !== undefined) callerSignal.addEventListener('abort', abort);
  else for (const name of names) process?.on(name, abort);
  return { signal: controller.signal, abort, forget };
}
