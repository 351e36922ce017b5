import { latencyOf, tookMs } from '../measure/latency.ts';
import type { Arrivals } from '../receiver/ledger.ts';
import { paddedTable, shown } from '../table.ts';
import type { Round } from './rounds.ts';

/** What was seen of one round. */
export interface SeenRound {
  readonly round: Round;
  /** When the request with each of its events was sent. */
  readonly sentAtMs: Float64Array;
  /** Requests at the bad receivers during the round. */
  readonly requestsAtBad: number;
}

/** For each kind of trouble how the webhooks fared whose receivers are well, and what the bad receivers got. */
export type IsolationResult = ReturnType<typeof judgeIsolation>;

/** Compares the rounds of a run. A clean round is compared with the clean ones next to it: what chance alone does. */
export function judgeIsolation(seenRounds: readonly SeenRound[], arrivals: Arrivals) {
  const webhooks = seenRounds[0]?.round.behaviours.length ?? 0;
  const events = seenRounds.reduce((sum, { round }) => sum + round.events, 0);
  /** Of the webhooks that are well in the round `of`. */
  const tookOf = ({ round, sentAtMs }: SeenRound, of: Round): number[] => {
    const isCounted = (webhook: number) => of.behaviours[webhook] === 'prompt';
    return tookMs(sentAtMs, arrivals.firstArrivedAtMs, { events, firstEvent: round.firstEvent, isCounted });
  };
  const compared = seenRounds.map((seen, index) => {
    const distance = seen.round.trouble === 'prompt' ? 2 : 1;
    const clean = [seenRounds[index - distance], seenRounds[index + distance]];
    return {
      seen,
      tookMs: tookOf(seen, seen.round),
      cleanTookMs: clean.flatMap((neighbour) => (neighbour === undefined ? [] : tookOf(neighbour, seen.round))),
    };
  });
  const judge = (trouble: Round['trouble']) => {
    const rounds = compared.filter(({ seen }) => seen.round.trouble === trouble);
    const healthy = latencyOf(rounds.flatMap((round) => round.tookMs));
    const [first] = rounds;
    const bad = first?.seen.round.behaviours.filter((behaviour) => behaviour !== 'prompt').length ?? 0;
    return {
      trouble,
      healthy,
      p99Ratio: healthy.p99Ms / latencyOf(rounds.flatMap(({ cleanTookMs }) => cleanTookMs)).p99Ms,
      requestsAtBad: rounds.map(({ seen }) => seen.requestsAtBad),
      owedToBad: bad * (first?.seen.round.events ?? 0),
    };
  };
  const { delivered, duplicates, unowed, outOfOrder } = arrivals;
  const owed = events * webhooks;
  return {
    troubles: [...new Set(seenRounds.map(({ round }) => round.trouble))].map(judge),
    ...{ owed, lost: owed - delivered, duplicates, unowed, outOfOrder },
  };
}

/** The result as text. @param conditions the lines above the table. */
export function renderIsolation(conditions: readonly string[], result: IsolationResult): string {
  const { owed, lost, duplicates, unowed, outOfOrder } = result;
  const rows = result.troubles.map((one) => [
    one.trouble === 'prompt' ? 'none' : one.trouble,
    ...[one.healthy.p50Ms, one.healthy.p95Ms, one.healthy.p99Ms].map((value) => shown(value)),
    shown(one.p99Ratio, 2),
    one.requestsAtBad.join(', '),
    shown(one.owedToBad),
  ]);
  const head = ['Trouble', 'p50, ms', 'p95, ms', 'p99, ms', 'p99 / clean'];
  return `${conditions.join('\n')}

From an event to its arrival at the webhooks whose receivers are well, against the clean rounds next to it, and what the
bad receivers got and were owed in each round:

${paddedTable([[...head, 'requests at bad', 'owed to bad'], ...rows])}

All receivers were well in the end: of ${shown(owed)} callouts ${shown(lost)} lost, ${shown(duplicates)} duplicated, ${shown(outOfOrder)} out of order, ${shown(unowed)} not owed.
`;
}
