import { percentiles } from '../report/percentiles.ts';
import type { Latency } from '../report/result.ts';
import type { CallsOfWebhook } from '../receiver/call-counts.ts';
import type { Arrivals } from '../receiver/ledger.ts';
import type { Round, Trouble } from './rounds.ts';

/** What was seen of one round. */
export interface SeenRound {
  readonly round: Round;
  /** When the request with each of its events was sent. */
  readonly sentAtMs: Float64Array;
  /** What the bad receivers were called during the round, by number of the webhook. */
  readonly calls: readonly CallsOfWebhook[];
  /** Cores that other programs used meanwhile; undefined where it is not known. */
  readonly othersCores: number | undefined;
}

/** How much longer the healthy webhooks waited: 1 is as long as in clean rounds. */
export interface Ratios {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface JudgedRound {
  readonly trouble: Trouble;
  /** Of the webhooks whose receivers are well. */
  readonly healthy: Latency;
  /** Against the same webhooks in the clean rounds next to it; undefined where there is none. */
  readonly ratios: Ratios | undefined;
  /** Callouts that the events of the round owe to the bad receivers. */
  readonly owedToBad: number;
  /** Attempts made at them meanwhile. */
  readonly attemptsAtBad: number;
  /** Attempts under way at once at one of them, at most. */
  readonly mostUnderWay: number;
  readonly othersCores: number | undefined;
}

/** All rounds of one kind together. */
export interface JudgedTrouble {
  readonly trouble: Trouble;
  readonly healthy: Latency;
  /** All of these rounds against all of the clean rounds next to them. */
  readonly ratios: Ratios;
  /** The ratio of the 99th percentiles round by round: lowest, median and highest. */
  readonly p99Ratios: readonly [lowest: number, median: number, highest: number];
}

export interface IsolationResult {
  readonly rounds: readonly JudgedRound[];
  readonly troubles: readonly JudgedTrouble[];
  readonly owed: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly unowed: number;
  readonly outOfOrder: number;
}

interface Compared {
  readonly seen: SeenRound;
  readonly tookMs: readonly number[];
  /** Of the same webhooks in the clean rounds next to it. */
  readonly cleanTookMs: readonly number[];
}

/** Compares the rounds of a run. A clean round is compared with the clean ones next to it: what chance alone does. */
export function judgeIsolation(seenRounds: readonly SeenRound[], arrivals: Arrivals): IsolationResult {
  const webhooks = seenRounds[0]?.round.behaviours.length ?? 0;
  const totalEvents = seenRounds.reduce((sum, { round }) => sum + round.events, 0);
  const tookMs = ({ round, sentAtMs }: SeenRound, isCounted: (webhook: number) => boolean): number[] => {
    const took: number[] = [];
    for (let webhook = 0; webhook < webhooks; webhook += 1) {
      if (!isCounted(webhook)) continue;
      for (const [event, sentMs] of sentAtMs.entries()) {
        const arrivedAtMs = arrivals.firstArrivedAtMs[webhook * totalEvents + round.firstEvent + event] ?? 0;
        if (arrivedAtMs > 0) took.push(arrivedAtMs - sentMs);
      }
    }
    return took;
  };
  const compared = seenRounds.map((seen, index): Compared => {
    const isHealthy = (webhook: number): boolean => seen.round.behaviours[webhook] === 'prompt';
    const distance = seen.round.trouble === 'none' ? 2 : 1;
    const clean = [seenRounds[index - distance], seenRounds[index + distance]];
    return {
      seen,
      tookMs: tookMs(seen, isHealthy),
      cleanTookMs: clean.flatMap((neighbour) => (neighbour === undefined ? [] : tookMs(neighbour, isHealthy))),
    };
  });
  const owed = totalEvents * webhooks;
  const { delivered, duplicates, unowed, outOfOrder } = arrivals;
  return {
    rounds: compared.map(judgeRound),
    troubles: [...new Set(seenRounds.map(({ round }) => round.trouble))].map((trouble) =>
      judgeTrouble(
        trouble,
        compared.filter(({ seen }) => seen.round.trouble === trouble),
      ),
    ),
    owed,
    lost: owed - delivered,
    duplicates,
    unowed,
    outOfOrder,
  };
}

function judgeRound({ seen: { round, calls, othersCores }, tookMs, cleanTookMs }: Compared): JudgedRound {
  const badWebhooks = round.behaviours.filter((behaviour) => behaviour !== 'prompt').length;
  return {
    trouble: round.trouble,
    healthy: latencyOf(tookMs),
    ratios: cleanTookMs.length === 0 ? undefined : ratiosOf(tookMs, cleanTookMs),
    owedToBad: badWebhooks * round.events,
    attemptsAtBad: calls.reduce((sum, { requests }) => sum + requests, 0),
    mostUnderWay: Math.max(0, ...calls.map(({ mostUnderWay }) => mostUnderWay)),
    othersCores,
  };
}

function judgeTrouble(trouble: Trouble, rounds: readonly Compared[]): JudgedTrouble {
  const tookMs = rounds.flatMap((round) => round.tookMs);
  const p99s = rounds.map((round) => ratiosOf(round.tookMs, round.cleanTookMs).p99);
  const [lowest = Number.NaN, median = Number.NaN, highest = Number.NaN] = percentiles(p99s, [0, 50, 100]);
  return {
    trouble,
    healthy: latencyOf(tookMs),
    ratios: ratiosOf(
      tookMs,
      rounds.flatMap((round) => round.cleanTookMs),
    ),
    p99Ratios: [lowest, median, highest],
  };
}

function latencyOf(tookMs: readonly number[]): Latency {
  const [p50Ms = Number.NaN, p95Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(tookMs, [50, 95, 99]);
  return { p50Ms, p95Ms, p99Ms };
}

function ratiosOf(tookMs: readonly number[], cleanTookMs: readonly number[]): Ratios {
  const these = latencyOf(tookMs);
  const clean = latencyOf(cleanTookMs);
  return { p50: these.p50Ms / clean.p50Ms, p95: these.p95Ms / clean.p95Ms, p99: these.p99Ms / clean.p99Ms };
}
