import type { Driven } from '../driver/drive.ts';
import type { MemoryOverTime } from '../measure/memory-samples.ts';
import { commandsBetween } from '../measure/redis-commands.ts';
import { parts, sumOf, type PerPart, type Usage } from '../measure/usage.ts';
import type { BenchOptions } from '../options.ts';
import type { Arrivals } from '../receiver/ledger.ts';
import type { Behaviour } from '../receiver/messages.ts';
import { percentiles } from './percentiles.ts';

/** Everything that a run observed. */
export interface Observed {
  readonly options: BenchOptions;
  /** One for each webhook. */
  readonly behaviours: readonly Behaviour[];
  readonly driven: Driven;
  readonly arrivals: Arrivals;
  /** Just before the first request, and when nothing was owed any more. */
  readonly before: Usage;
  readonly after: Usage;
  /** When the last event was accepted, if no worker had run until then. */
  readonly accepted: Usage | undefined;
  /** While events were accepted. */
  readonly apiMemory: MemoryOverTime;
}

/** What it takes to accept events, without what is made of them. */
export interface Acceptance {
  /** CPU seconds per 1,000 events. */
  readonly cpuSPer1000: PerPart;
  /** Per event; undefined where the server does not count them. */
  readonly statementsPerEvent: number | undefined;
  readonly writeTransactionsPerEvent: number;
  readonly walBytesPerEvent: number;
}

/** Milliseconds from the sending of a request with an event to the arrival of a callout about it. */
export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** What a run found out. */
export interface BenchResult extends Latency {
  readonly accepted: number;
  readonly acceptS: number;
  readonly acceptedPerS: number;
  /** Callouts that the events owe. */
  readonly owed: number;
  readonly delivered: number;
  /** From the first request to the last arrival. */
  readonly deliverS: number;
  readonly deliveredPerS: number;
  /** HTTP requests that the receiver got, failed attempts included. */
  readonly attempts: number;
  readonly bodyBytes: number;
  /** Of the webhooks that are neither slow nor failing, when there are others. */
  readonly promptLatency: Latency | undefined;
  /** CPU seconds per 1,000 delivered callouts. */
  readonly cpuSPer1000: PerPart;
  readonly peakBytes: PerPart;
  /** Bytes that the API had resident while events were accepted. */
  readonly apiMemory: MemoryOverTime;
  /** Of a run whose workers started afterwards. */
  readonly acceptance: Acceptance | undefined;
  /** Cores in use on average, by this run and by everything else on the machine, which makes the run slower. */
  readonly cores: { readonly run: number | undefined; readonly others: number | undefined };
  /** Per callout; undefined where the server does not count them. */
  readonly statementsPerCallout: number | undefined;
  readonly writeTransactionsPerCallout: number;
  readonly walBytesPerCallout: number;
  readonly redisCommandsPerCallout: number;
  /** Callouts that a receiver got again after it had taken them. */
  readonly duplicates: number;
  readonly lost: number;
  /** Callouts that no event owes. */
  readonly unowed: number;
  /** Callouts of a record that came after a later one. */
  readonly outOfOrder: number;
}

export function judgeRun(observed: Observed): BenchResult {
  const { options, behaviours, driven, arrivals, before, accepted, after } = observed;
  const { events, fanout } = options;
  const { delivered } = arrivals;
  const owed = events * fanout;
  const acceptS = (driven.lastAnsweredAtMs - driven.firstSentAtMs) / 1000;
  const deliverS = Math.max(0, arrivals.lastTakenAtMs - driven.firstSentAtMs) / 1000;
  const perCallout = (count: number) => count / delivered;
  const { statements } = after.postgres;
  return {
    accepted: events,
    acceptS,
    acceptedPerS: events / acceptS,
    owed,
    delivered,
    deliverS,
    deliveredPerS: deliverS > 0 ? delivered / deliverS : 0,
    ...latencyOf(
      driven,
      arrivals,
      behaviours.map(() => true),
    ),
    promptLatency: behaviours.every((behaviour) => behaviour === 'prompt')
      ? undefined
      : latencyOf(
          driven,
          arrivals,
          behaviours.map((behaviour) => behaviour === 'prompt'),
        ),
    attempts: arrivals.requests,
    bodyBytes: arrivals.bodyBytes / arrivals.requests,
    cpuSPer1000: perPart((part) => {
      const used = difference(after.cpuS[part], before.cpuS[part]);
      return used === undefined ? undefined : perCallout(used * 1000);
    }),
    peakBytes: after.peakBytes,
    apiMemory: observed.apiMemory,
    acceptance: accepted && acceptanceOf(before, accepted, events),
    cores: coresInUse(before, after),
    statementsPerCallout:
      statements === undefined ? undefined : perCallout(statements - (before.postgres.statements ?? 0)),
    writeTransactionsPerCallout: perCallout(after.postgres.writeTransactions - before.postgres.writeTransactions),
    walBytesPerCallout: perCallout(after.postgres.walBytes - before.postgres.walBytes),
    redisCommandsPerCallout: perCallout(commandsBetween(before.redis, after.redis)),
    duplicates: arrivals.duplicates,
    lost: owed - delivered,
    unowed: arrivals.unowed,
    outOfOrder: arrivals.outOfOrder,
  };
}

function acceptanceOf(before: Usage, accepted: Usage, events: number): Acceptance {
  const used = (part: (typeof parts)[number]) => difference(accepted.cpuS[part], before.cpuS[part]);
  const statements = difference(accepted.postgres.statements, before.postgres.statements);
  return {
    cpuSPer1000: perPart((part) => {
      const cpuS = used(part);
      return cpuS === undefined ? undefined : (cpuS * 1000) / events;
    }),
    statementsPerEvent: statements === undefined ? undefined : statements / events,
    writeTransactionsPerEvent: (accepted.postgres.writeTransactions - before.postgres.writeTransactions) / events,
    walBytesPerEvent: (accepted.postgres.walBytes - before.postgres.walBytes) / events,
  };
}

/** Whether the service kept what it promises: everything owed, nothing else, each record in its order. */
export function keptItsPromises({
  lost,
  unowed,
  outOfOrder,
}: Pick<BenchResult, 'lost' | 'unowed' | 'outOfOrder'>): boolean {
  return lost === 0 && unowed === 0 && outOfOrder === 0;
}

/** @param isCounted by number of the webhook. */
function latencyOf({ sentAtMs }: Driven, { firstArrivedAtMs }: Arrivals, isCounted: readonly boolean[]): Latency {
  const tookMs: number[] = [];
  for (const [pair, arrivedAtMs] of firstArrivedAtMs.entries()) {
    const webhook = Math.floor(pair / sentAtMs.length);
    if (arrivedAtMs > 0 && isCounted[webhook] === true)
      tookMs.push(arrivedAtMs - (sentAtMs[pair % sentAtMs.length] ?? 0));
  }
  const [p50Ms = Number.NaN, p95Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(tookMs, [50, 95, 99]);
  return { p50Ms, p95Ms, p99Ms };
}

function perPart(valueOf: (part: (typeof parts)[number]) => number | undefined): PerPart {
  return Object.fromEntries(parts.map((part) => [part, valueOf(part)])) as PerPart;
}

function difference(after: number | undefined, before: number | undefined): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}

/** Between two readings. */
export function coresInUse(before: Usage, after: Usage): BenchResult['cores'] {
  const tookS = (after.atMs - before.atMs) / 1000;
  const run = difference(sumOf(after.cpuS, parts), sumOf(before.cpuS, parts));
  const machine = difference(after.machineCpuS, before.machineCpuS);
  const others = difference(machine, run);
  return {
    run: run === undefined ? undefined : run / tookS,
    others: others === undefined ? undefined : Math.max(0, others) / tookS,
  };
}
