import { setImmediate } from 'node:timers/promises';

/** How long one task may work without a pause; everything else of the process waits meanwhile. */
const SLICE_MS = 10;

/** Lets the rest of the process run when a task has worked for long enough; called between short pieces of work. */
export type YieldToOthers = () => Promise<void>;

export function createYield(nowMs = () => performance.now()): YieldToOthers {
  let endsAtMs = nowMs() + SLICE_MS;
  return async () => {
    if (nowMs() < endsAtMs) return;
    await setImmediate();
    endsAtMs = nowMs() + SLICE_MS;
  };
}
