import { setImmediate } from 'node:timers/promises';

/** How long a request may work without a pause; every other one of the process waits meanwhile. */
const SLICE_MS = 10;

/** Lets other requests run when this one has worked for long enough; called between short pieces of work. */
export type YieldToOthers = () => Promise<void>;

export function createYield(nowMs = () => performance.now()): YieldToOthers {
  let endsAtMs = nowMs() + SLICE_MS;
  return async () => {
    if (nowMs() < endsAtMs) return;
    await setImmediate();
    endsAtMs = nowMs() + SLICE_MS;
  };
}
