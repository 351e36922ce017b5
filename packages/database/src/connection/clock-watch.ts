import { readNow } from './clock.ts';
import type { Client } from './database.ts';

/** Compares the clock of this machine with the clock of PostgreSQL, which all processes share. */
export interface ClockWatch {
  /**
   * Milliseconds by which this machine's clock is ahead of PostgreSQL's, negative when behind; null: not measured yet.
   */
  aheadMs(): number | null;
  /** Whether times of this machine may be signed: no measurement was more than a minute off. */
  isRight(): boolean;
  /** Why the process cannot work with the clock, as a sentence; empty when the clock is right. */
  problems(): string[];
  /** A harmless deviation, as a sentence; empty without a deviation. */
  notices(): string[];
  /** Asks PostgreSQL for the time. @throws the error of the statement. */
  measure(): Promise<void>;
  stop(): void;
}

interface ClockWatchDeps {
  readonly client: Client;
  /** Receives errors of measurements on the timer; the next one comes in any case. */
  readonly onError: (error: unknown) => void;
  /** This machine's clock in milliseconds since 1970. */
  readonly nowMs?: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs?: () => number;
}

const everyMs = 10_000;
const noticedMs = 5_000;
/** Receivers accept timestamps that are five minutes off: https://www.standardwebhooks.com. A minute leaves room for theirs. */
const wrongMs = 60_000;
/** A slower answer is too inexact: PostgreSQL may have read its clock at any moment in between. */
const slowestMs = 2_000;

/**
 * Measures on a timer. Between two measurements the monotonic clock goes on, so a step of this machine's clock is seen
 * at once, without a statement.
 */
export function createClockWatch({ client, onError, ...clocks }: ClockWatchDeps): ClockWatch {
  const { nowMs = () => Date.now(), elapsedMs = () => performance.now() } = clocks;
  let measured: { readonly databaseMs: number; readonly elapsedMs: number } | undefined;

  async function measure(): Promise<void> {
    const startMs = elapsedMs();
    const [row] = await readNow(client, []);
    const tookMs = elapsedMs() - startMs;
    if (row !== undefined && tookMs <= slowestMs) {
      measured = { databaseMs: row.now.getTime(), elapsedMs: startMs + tookMs / 2 };
    }
  }

  function aheadMs(): number | null {
    return measured === undefined ? null : nowMs() - measured.databaseMs - (elapsedMs() - measured.elapsedMs);
  }

  const isOffBy = (mostMs: number) => Math.abs(aheadMs() ?? 0) > mostMs;
  const timer = setInterval(() => void measure().catch(onError), everyMs).unref();
  return {
    aheadMs,
    isRight: () => !isOffBy(wrongMs),
    problems: () =>
      isOffBy(wrongMs) ? [`${sentence(aheadMs() ?? 0)}. Until then, no worker on it sends anything`] : [],
    notices: () => (isOffBy(noticedMs) && !isOffBy(wrongMs) ? [sentence(aheadMs() ?? 0)] : []),
    measure,
    stop: () => clearInterval(timer),
  };
}

function sentence(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${seconds} s ${way} PostgreSQL's: set both by NTP`;
}
