/** The parts of `process` that are used; they are there only in a process that was started with an IPC channel. */
export interface ForkedProcess {
  readonly connected?: boolean;
  send?(message: unknown, done: (error: Error | null) => void): unknown;
}

/** The message of a program to the parent that forked it, once it listens. */
export interface Listening {
  readonly listeningOn: number;
}

/**
 * Notifies the parent, if there is one, that this process listens on `port`. A parent that only connects to the port
 * cannot know whether this process responds, or another one that had the port first.
 */
export function notifyParent(process: ForkedProcess, port: number): void {
  if (process.connected !== true) return;
  const message: Listening = { listeningOn: port };
  // `stopOnSignals` notices a parent that has just ended.
  process.send?.(message, () => undefined);
}
