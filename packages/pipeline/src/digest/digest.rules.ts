import type { DigestContent, DigestRun } from '@callout/domain/callout/digest';

/** Runs in one digest: about 100 KB. What is beyond has a digest of its own, right behind it. */
export const mostRuns = 500;
/** Numbers that one digest covers at most. */
export const mostNumbers = 200_000;

/** What is stored of the callouts of a range. */
export interface StoredRange {
  /** From this number on all of the range are stored; null: not even the last is. */
  readonly keptFrom: number | null;
  /** How many of them are no digests. */
  readonly others: number;
  /** Those that were not delivered, in order; one more than `mostRuns` at most. */
  readonly runs: readonly DigestRun[];
}

/** Numbers that earlier digests called open, as they are now. */
export interface EarlierRun extends DigestRun {
  /** Whether one of them is no digest. */
  readonly hasOthers: boolean;
}

/** A first and a last number. */
export type NumberRange = readonly [from: number, to: number];

/** What a digest says, except for the values of the chain. */
export interface PlannedDigest {
  readonly first: number;
  readonly last: number;
  readonly notDelivered: readonly DigestRun[];
  readonly earlier: DigestContent['earlier'];
  /** The numbers that are still open then, and those of which there was no room to say how they ended. */
  readonly openNumbers: readonly NumberRange[];
  /** Whether another digest is to be made at once. */
  readonly hasMore: boolean;
}

/**
 * Decides what a digest says: about the numbers from `first` to `last`, and about those that earlier ones called open.
 * @returns null when there is nothing to say, or nothing but about digests: no digest causes another.
 */
export function planDigest(
  { first, last }: { readonly first: number; readonly last: number },
  { keptFrom, others, runs }: StoredRange,
  earlierRuns: readonly EarlierRun[],
): PlannedDigest | null {
  const ended = earlierRuns.filter(({ state }) => state !== 'open');
  if (others === 0 && !ended.some(({ hasOthers }) => hasOthers)) return null;
  const begin = keptFrom === null ? last + 1 : Math.max(first, keptFrom);
  const cutAt = runs[mostRuns]?.from;
  const end = cutAt === undefined ? last : cutAt - 1;
  const notDelivered = runs.slice(0, mostRuns).filter(({ to }) => to >= begin);
  const stated = ended.slice(0, mostRuns);
  const left = new Set(ended.slice(mostRuns));
  return {
    first: begin,
    last: end,
    notDelivered: notDelivered.map((run) => ({ ...run, from: Math.max(run.from, begin) })),
    earlier: stated.map(({ from, to, state }) => ({ from, to, state })),
    openNumbers: joined([
      ...earlierRuns.filter((run) => run.state === 'open' || left.has(run)),
      ...notDelivered.filter(({ state }) => state === 'open'),
    ]),
    hasMore: end < last || left.size > 0,
  };
}

/** Runs that are next to each other become one range. */
function joined(runs: readonly DigestRun[]): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const { from, to } of runs.toSorted((a, b) => a.from - b.from)) {
    const before = ranges.at(-1);
    if (before !== undefined && before[1] + 1 >= from) before[1] = Math.max(before[1], to);
    else ranges.push([from, to]);
  }
  return ranges;
}
