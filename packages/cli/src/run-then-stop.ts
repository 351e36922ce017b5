import { inspect } from 'node:util';
import { ConfigError } from '@callout/runtime/config/parse';
import { CannotGoOn } from './cannot-go-on.ts';
import type { Output } from './output.ts';
import { StopRequested } from './stop-request.ts';

/** The running parts, with the way to stop each of them. */
export interface StopList {
  /** `name` is for messages: `the API`. */
  add(name: string, stop: () => Promise<unknown>): void;
  /** Stops the last first, and goes on after a failure. Reports failures, a line each. */
  stopAll(report: (line: string) => void): Promise<void>;
}

export function createStopList(): StopList {
  const entries: { name: string; stop: () => Promise<unknown> }[] = [];
  return {
    add: (name, stop) => void entries.push({ name, stop }),
    async stopAll(report) {
      for (let entry = entries.pop(); entry; entry = entries.pop()) {
        try {
          await entry.stop();
        } catch (error) {
          report(`${entry.name} did not stop cleanly: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
  };
}

export type Outcome =
  /** Came to its end. */
  | 'done'
  /** It was asked to stop. */
  | 'stopped'
  /** The error has been reported. */
  | 'failed';

/**
 * Runs `work`, which records in the list everything that it starts; then reports at once why the work has ended, and
 * stops everything.
 * @param isQuiet reports only errors.
 */
export async function runThenStop(
  { report }: Pick<Output, 'report'>,
  isQuiet: boolean,
  work: (stops: StopList) => Promise<unknown>,
): Promise<Outcome> {
  const stops = createStopList();
  try {
    await work(stops);
    return 'done';
  } catch (error) {
    if (error instanceof StopRequested) {
      if (!isQuiet) report('\nStopping ... (Ctrl-C again does not wait)');
      return 'stopped';
    }
    const isExpected = error instanceof CannotGoOn || error instanceof ConfigError;
    report(isExpected ? error.message : inspect(error));
    return 'failed';
  } finally {
    await stops.stopAll(report);
  }
}
