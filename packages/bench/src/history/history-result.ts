import type { Measured } from '../log/log-report.ts';
import type { Size } from '../log/sizes.ts';
import type { ChoreResult } from './chores.ts';
import type { Load, LoadResult } from './history-side.ts';
import type { Grown } from './statement-costs.ts';

/** The same of both databases. Questions are asked of a short history in place of none. */
export interface Pair<T> {
  readonly name: string;
  readonly empty: T;
  readonly history: T;
}

/** A load's results, one for each time. */
export interface LoadPair {
  readonly load: Load;
  readonly empty: readonly LoadResult[];
  readonly history: readonly LoadResult[];
}

/** What a run on a long history found out. */
export interface HistoryResult {
  readonly attempts: number;
  readonly callouts: number;
  readonly events: number;
  readonly tenants: number;
  /** Seconds that it took to make, by this run or the one that kept it. */
  readonly seedS: number;
  readonly machine: string;
  /** Processes that wanted to run in the last minute, ours among them. */
  readonly load: number;
  readonly postgres: string;
  /** Of the history as it was made. */
  readonly sizes: readonly Size[];
  /** That each callout of the loads takes on disk, with its event, verdict, body and attempt, and all their indexes. */
  readonly bytesPerCallout: number;
  readonly loads: readonly LoadPair[];
  /** Statements that cost notably more with the history. */
  readonly grown: readonly Grown[];
  readonly chores: readonly Pair<ChoreResult>[];
  /** Undefined: the history was kept. */
  readonly retention: (ChoreResult & { readonly dropped: number }) | undefined;
  readonly answers: readonly Pair<Measured>[];
  /** Nothing was lost, repeated for nothing, or out of order. */
  readonly isWhole: boolean;
}

/** By what the tables of the empty database grew. */
export function bytesPerCallout(before: readonly Size[], after: readonly Size[], loads: readonly LoadPair[]): number {
  const total = (sizes: readonly Size[]) => sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const callouts = loads.flatMap(({ empty }) => empty).reduce((sum, { delivered }) => sum + delivered, 0);
  return (total(after) - total(before)) / callouts;
}
