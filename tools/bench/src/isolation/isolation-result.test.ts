import { describe, expect, it } from '@jest/globals';
import type { Arrivals } from '../receiver/ledger.ts';
import { judgeIsolation, renderIsolation, type SeenRound } from './isolation-result.ts';
import { roundsOf } from './rounds.ts';

const size = { webhooks: 20, eventsPerRound: 2, cycles: 2 };
const rounds = roundsOf(size);

/** Every event is sent at 1000 ms. */
function seen(requestsAtBad = 0): SeenRound[] {
  return rounds.map((round) => ({
    round,
    sentAtMs: new Float64Array(round.events).fill(1000),
    requestsAtBad,
  }));
}

/** @param tookMs NaN: the callout never came. */
function arrivals(tookMs: (round: number, webhook: number) => number): Arrivals {
  const events = rounds.length * size.eventsPerRound;
  const firstArrivedAtMs = new Float64Array(size.webhooks * events);
  let delivered = 0;
  for (const pair of firstArrivedAtMs.keys()) {
    const took = tookMs(Math.floor((pair % events) / size.eventsPerRound), Math.floor(pair / events));
    if (Number.isNaN(took)) continue;
    firstArrivedAtMs[pair] = 1000 + took;
    delivered += 1;
  }
  const whole = { requests: delivered, duplicates: 0, unowed: 0, outOfOrder: 0, bodyBytes: 0, lastTakenAtMs: 0 };
  return { ...whole, delivered, firstArrivedAtMs };
}

const isBad = (round: number, webhook: number): boolean => rounds[round]?.behaviours[webhook] !== 'prompt';
const isClean = (round: number): boolean => rounds[round]?.trouble === 'prompt';

describe('roundsOf', () => {
  it('puts every trouble between two rounds without one, and gives each event to one round', () => {
    expect(rounds.map(({ trouble }) => trouble)).toEqual([
      ...['prompt', 'hanging', 'prompt', 'failing', 'prompt', 'slow'],
      ...['prompt', 'hanging', 'prompt', 'failing', 'prompt', 'slow', 'prompt'],
    ]);
    expect(rounds.map(({ firstEvent }) => firstEvent)).toEqual(rounds.map((_, index) => index * 2));
  });

  it('makes one of a hundred hang, and ten fail or be slow', () => {
    const [, hanging, , failing, , slow] = roundsOf({ webhooks: 100, eventsPerRound: 1, cycles: 1 });
    const bad = [hanging, failing, slow].map((round) => round?.behaviours.filter((one) => one !== 'prompt'));
    expect(bad).toEqual([['hanging'], Array(10).fill('failing'), Array(10).fill('slow')]);
  });
});

describe('judgeIsolation', () => {
  it('compares the healthy webhooks of a round with the same ones in the clean rounds next to it', () => {
    // The one that hangs is left out of the clean rounds too: there it takes longest.
    const took = (round: number, webhook: number): number => {
      if (isBad(1, webhook)) return 9_000;
      return rounds[round]?.trouble === 'hanging' ? 150 : 100;
    };
    const { troubles, lost } = judgeIsolation(seen(), arrivals(took));
    const hanging = troubles.find(({ trouble }) => trouble === 'hanging');
    expect(hanging).toMatchObject({ healthy: { p50Ms: 150, p99Ms: 150 }, p99Ratio: 1.5 });
    expect(lost).toBe(0);
  });

  it('compares clean rounds with each other', () => {
    const took = (round: number): number => (isClean(round) || round < 6 ? 100 : 200);
    const { troubles } = judgeIsolation(seen(), arrivals(took));
    expect(troubles[0]).toMatchObject({ trouble: 'prompt', p99Ratio: 1 });
    expect(troubles[1]).toMatchObject({ trouble: 'hanging', p99Ratio: 2 });
  });

  it('counts what bad receivers were owed and sent, and what never came', () => {
    const { troubles, lost, owed } = judgeIsolation(
      seen(9),
      arrivals((round, webhook) => (round === 3 && webhook === 0 ? Number.NaN : 5)),
    );
    expect(troubles[2]).toMatchObject({ trouble: 'failing', owedToBad: 4, requestsAtBad: [9, 9] });
    expect({ owed, lost }).toEqual({ owed: rounds.length * 2 * 20, lost: 2 });
  });
});

describe('renderIsolation', () => {
  it('shows its conditions, every kind of trouble, and what was lost', () => {
    const result = judgeIsolation(
      seen(),
      arrivals(() => 12),
    );
    const report = renderIsolation(['Machine: m'], result);
    expect(report).toMatch(/^Machine: m\n/);
    expect(report.match(/^\| (none|hanging|failing|slow) /gm)).toHaveLength(4);
    expect(report).toContain('of 520 callouts 0 lost');
  });
});
