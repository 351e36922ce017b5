/** The used parts of `process`, present only in a process that was started with an IPC channel. */
export interface ForkedProcess {
  readonly connected?: boolean;
  send?(message: unknown, done: (error: Error | null) => void): unknown;
}

/** The message of a program that listens, to the parent that forked the program. */
export interface Listening {
  readonly listeningOn: number;
}

/**
 * Notifies the parent, if any, that the process listens on `port`. A parent that only connects to the port cannot know
 * whether the process responds, or another process that had the port first.
 */
export function notifyParent(process: ForkedProcess, port: number): void {
  if (process.connected !== true) return;
  const message: Listening = { listeningOn: port };
  // `stopOnSignals` notices a parent that has just ended.
  process.send?.(message, () => undefined);
}
