import { describe, expect, it } from '@jest/globals';
import type { Arrivals } from '../receiver/ledger.ts';
import { renderIsolationReport } from './isolation-report.ts';
import { judgeIsolation, type SeenRound } from './isolation-result.ts';
import { roundsOf } from './rounds.ts';

const size = { webhooks: 20, eventsPerRound: 2, cycles: 2 };
const rounds = roundsOf(size);
const noCalls = Array.from({ length: size.webhooks }, () => ({ requests: 0, mostUnderWay: 0 }));

/** Every event is sent at 1000 ms. */
function seen(calls = noCalls): SeenRound[] {
  return rounds.map((round) => ({
    round,
    sentAtMs: new Float64Array(round.events).fill(1000),
    calls,
    othersCores: 0.5,
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
const isClean = (round: number): boolean => rounds[round]?.trouble === 'none';

describe('roundsOf', () => {
  it('puts every trouble between two rounds without one, and gives each event to one round', () => {
    expect(rounds.map(({ trouble }) => trouble)).toEqual([
      ...['none', 'hanging', 'none', 'failing', 'none', 'slow'],
      ...['none', 'hanging', 'none', 'failing', 'none', 'slow', 'none'],
    ]);
    expect(rounds.map(({ firstEvent }) => firstEvent)).toEqual(rounds.map((_, index) => index * 2));
  });

  it('makes one of a hundred hang, and ten fail or be slow', () => {
    const [, hanging, , failing, , slow] = roundsOf({ webhooks: 100, eventsPerRound: 1, cycles: 1 });
    const bad = [hanging, failing, slow].map((round) => round?.behaviours.filter((one) => one !== 'prompt'));
    expect(bad).toEqual([['hanging'], Array(10).fill('broken'), Array(10).fill('sluggish')]);
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
    expect(hanging).toMatchObject({ healthy: { p50Ms: 150, p99Ms: 150 }, ratios: { p50: 1.5, p99: 1.5 } });
    expect(lost).toBe(0);
  });

  it('compares clean rounds with each other, and tells how far single rounds are apart', () => {
    const took = (round: number): number => (isClean(round) ? 100 : round < 6 ? 100 : 200);
    const { rounds: judged, troubles } = judgeIsolation(seen(), arrivals(took));
    expect(judged[0]?.ratios).toEqual({ p50: 1, p95: 1, p99: 1 });
    const hanging = troubles.find(({ trouble }) => trouble === 'hanging');
    expect(hanging?.p99Ratios).toEqual([1, 1, 2]);
    expect(hanging?.ratios.p99).toBe(2);
  });

  it('counts what bad receivers were owed and called, and what never came', () => {
    const calls = noCalls.map((none, webhook) => (webhook < 2 ? { requests: 4 + webhook, mostUnderWay: 3 } : none));
    const {
      rounds: judged,
      lost,
      owed,
    } = judgeIsolation(
      seen(calls),
      arrivals((round, webhook) => (round === 3 && webhook === 0 ? Number.NaN : 5)),
    );
    expect(judged[3]).toMatchObject({ owedToBad: 4, attemptsAtBad: 9, mostUnderWay: 3 });
    expect({ owed, lost }).toEqual({ owed: 13 * 2 * 20, lost: 2 });
  });
});

describe('renderIsolationReport', () => {
  it('shows every round, every kind of trouble, and what was lost', () => {
    const report = renderIsolationReport({
      ...{
        webhooks: 20,
        eventsPerS: 2,
        eventsPerRound: 2,
        workers: 1,
        machine: 'm',
        load: 1,
        postgres: 'p',
        redis: 'r',
      },
      settings: { CALLOUT_TIMEOUT_MS: '3000' },
      result: judgeIsolation(
        seen(),
        arrivals(() => 12),
      ),
    });
    expect(report.match(/^\| failing /gm)).toHaveLength(3);
    expect(report).toContain('of 520 callouts 0 lost');
  });
});
