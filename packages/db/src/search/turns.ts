import { setImmediate } from 'node:timers/promises';

/** How long a search may work on what it has read; every other request of the process waits meanwhile. */
const TURN_MS = 10;

/** Lets the others have their turn when it is time; called between pieces of work that are short. */
export type TakeTurns = () => Promise<void>;

export function createTurns(nowMs = () => performance.now()): TakeTurns {
  let endsAtMs = nowMs() + TURN_MS;
  return async () => {
    if (nowMs() < endsAtMs) return;
    await setImmediate();
    endsAtMs = nowMs() + TURN_MS;
  };
}
