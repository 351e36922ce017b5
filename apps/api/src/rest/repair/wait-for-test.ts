import { setTimeout as sleep } from 'node:timers/promises';
import type { TestResult } from '@callout/pipeline/repair/test-callout';

interface Waiting {
  readonly read: () => Promise<TestResult>;
  readonly waitMs: number;
  /** Whether the wait has to end before its time. */
  readonly isOver: () => boolean;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/** Polls until the test has ended, the time is over, or the wait has to end; then returns the present state. */
export async function waitForTest({ read, waitMs, isOver }: Waiting): Promise<TestResult> {
  const endMs = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const result = await read();
    const leftMs = endMs - performance.now();
    if (result.state !== 'due' || leftMs <= 0 || isOver()) return result;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
