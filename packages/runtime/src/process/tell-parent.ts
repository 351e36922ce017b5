/** The parts of `process` that are used; they are there only in a process that was started with an IPC channel. */
export interface ToldProcess {
  readonly connected?: boolean;
  send?(message: unknown, done: (error: Error | null) => void): unknown;
}

/** What a program tells the parent that forked it, once it listens. */
export interface Listening {
  readonly listeningOn: number;
}

/**
 * Tells the parent, where there is one to tell, that this process listens on `port`. A parent that only asks the port
 * cannot know whether it is this process that answers, or another one that had the port first.
 */
export function tellParent(process: ToldProcess, port: number): void {
  if (process.connected !== true) return;
  const message: Listening = { listeningOn: port };
  // A parent that has just gone away is noticed by `stopOnSignals`.
  process.send?.(message, () => undefined);
}
