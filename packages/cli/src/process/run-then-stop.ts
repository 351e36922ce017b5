import { inspect } from 'node:util';
import { ConfigError } from '@callout/runtime/config/parse';
import { CannotGoOn } from '../cannot-go-on.ts';
import type { Output } from '../output/output.ts';
import { createStopList, type StopList } from './stop-list.ts';
import { StopRequested } from './stop-request.ts';

export type Outcome =
  /** Came to its end. */
  | 'done'
  /** It was asked to stop. */
  | 'stopped'
  /** The error has been reported. */
  | 'failed';

/**
 * Runs `work`, which records in the list everything that it starts; then reports at once why it has ended, and stops
 * all of it.
 * @param isQuiet reports only errors.
 */
export async function runThenStop(
  { tell }: Pick<Output, 'tell'>,
  isQuiet: boolean,
  work: (stops: StopList) => Promise<unknown>,
): Promise<Outcome> {
  const stops = createStopList();
  try {
    await work(stops);
    return 'done';
  } catch (error) {
    if (error instanceof StopRequested) {
      if (!isQuiet) tell('\nStopping ... (Ctrl-C again does not wait)');
      return 'stopped';
    }
    const isExpected = error instanceof CannotGoOn || error instanceof ConfigError;
    tell(isExpected ? error.message : inspect(error));
    return 'failed';
  } finally {
    await stops.stopAll(tell);
  }
}
