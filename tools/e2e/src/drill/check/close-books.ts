import type { Database } from '@callout/database/connection/database';
import type { AppProcess } from '@callout/testing';
import type { Slot } from '../faults/slot.ts';
import type { Arrival } from '../receivers/arrivals.ts';
import type { Chronicles } from '../traffic/chronicle.ts';
import type { DrillTenant } from '../traffic/drill-tenant.ts';
import type { LedgerEntry } from '../traffic/ledger.ts';
import { keepEvidence } from './evidence.ts';
import { reconcile, type Outcome } from './reconcile.ts';
import { checkSignatures } from './signatures.ts';
import { readStoredHistory, whenSettled, type StoredHistory } from './settled.ts';

export interface DrillReport {
  /** The course of the drill, one line for each step. */
  readonly story: readonly string[];
  /** The inconsistencies; empty when nothing was lost. */
  readonly problems: readonly string[];
  /** The numbers of stored events and of expected callouts, and of requests that two keys have signed. */
  readonly events: number;
  readonly callouts: number;
  readonly signedTwice: number;
}

/** What clients, database and receivers know in the end. */
export interface ClosedBooks {
  readonly ledger: readonly LedgerEntry[];
  readonly stored: StoredHistory;
  readonly arrivals: readonly Arrival[];
  readonly outcome: Outcome;
  readonly problems: readonly string[];
  /** How many requests had a signature of the replaced key as well. */
  readonly signedTwice: number;
  /** When nothing was open any more. */
  readonly settledAtMs: number;
}

/** Waits until no work is open, stops the processes, and compares the records of clients, database and receivers. */
export async function closeBooks(
  drilled: DrillTenant,
  database: Database,
  slots: readonly Slot[],
  ledger: readonly LedgerEntry[],
  chronicles: Chronicles,
): Promise<ClosedBooks> {
  const unsettled = await whenSettled(database);
  const settledAtMs = Date.now();
  const badEnds = await stopAll(slots);
  const stored = await readStoredHistory(database);
  const arrivals = drilled.receivers.arrivals();
  const outcome = reconcile({ ledger, ...stored, chronicles, meddlerId: drilled.tenant.adminId, arrivals });
  const { signedTwice, ...signatures } = checkSignatures(arrivals, drilled.keys);
  const problems = [...[...unsettled, ...stored.problems, ...outcome.problems, ...badEnds], ...signatures.problems];
  return { ledger, stored, arrivals, outcome, problems, settledAtMs, signedTwice };
}

/** No process may have ended by itself; and each, stopped without open work, must end with status 0. */
async function stopAll(slots: readonly Slot[]): Promise<string[]> {
  const statuses = await Promise.all(slots.map((slot) => slot.stop()));
  return slots.flatMap((slot, nth) => [
    ...slot.crashes(),
    ...(statuses[nth] === 0 ? [] : [`${slot.name} ended with ${statuses[nth]} after SIGTERM`]),
  ]);
}

/** The report of a drill; its evidence is kept where something is wrong. @param more problems beyond those of the books. */
export async function reportOf(
  seed: string,
  { ledger, stored, outcome, problems: found, signedTwice }: ClosedBooks,
  processes: readonly AppProcess[],
  story: readonly string[],
  more: readonly string[],
): Promise<DrillReport> {
  const problems = [...found, ...more];
  const evidence = problems.length > 0 ? [`logs are in ${await keepEvidence(seed, processes, ledger, problems)}`] : [];
  return {
    story: [...story, ...evidence],
    problems,
    events: stored.events.length,
    callouts: outcome.owed,
    signedTwice,
  };
}

/** Waits for all of them also when one fails: restarts must not go on after the drill. */
export async function allOver<T extends readonly Promise<unknown>[]>(
  activities: [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(activities);
  return Promise.all(activities);
}
