/** The running parts, with the way to stop each of them. */
export interface StopList {
  /** `name` is for messages: `the API`. */
  add(name: string, stop: () => Promise<unknown>): void;
  /** Stops the last one first, each also when one before it failed. Reports failures, one line each. */
  stopAll(tell: (line: string) => void): Promise<void>;
}

export function createStopList(): StopList {
  const entries: { name: string; stop: () => Promise<unknown> }[] = [];
  return {
    add: (name, stop) => void entries.push({ name, stop }),
    async stopAll(tell) {
      for (let entry = entries.pop(); entry; entry = entries.pop()) {
        try {
          await entry.stop();
        } catch (error) {
          tell(`${entry.name} did not stop cleanly: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
  };
}
