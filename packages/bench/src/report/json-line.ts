import type { MemoryOverTime } from '../measure/memory-samples.ts';
import { parts, serviceParts, sumOf, type PerPart } from '../measure/usage.ts';
import type { RunDescription } from './table.ts';
import type { BenchResult, Latency } from './result.ts';

/** The result as one line of JSON, for scripts. What is not known is null. */
export function jsonLine(run: RunDescription, result: BenchResult): string {
  const { options, machine, postgres, redis, settings } = run;
  const { cpuSPer1000, peakBytes, apiMemory, acceptance, promptLatency, p50Ms, p95Ms, p99Ms, ...rest } = result;
  return JSON.stringify({
    acceptedPerS: round(rest.acceptedPerS),
    deliveredPerS: round(rest.deliveredPerS),
    ...latency({ p50Ms, p95Ms, p99Ms }),
    promptLatency: promptLatency === undefined ? null : latency(promptLatency),
    cpuSPer1000: {
      ...rounded(cpuSPer1000, 1),
      service: round(sumOf(cpuSPer1000, serviceParts)),
      everything: round(sumOf(cpuSPer1000, parts)),
    },
    duplicates: rest.duplicates,
    lost: rest.lost,
    unowed: rest.unowed,
    outOfOrder: rest.outOfOrder,
    accepted: rest.accepted,
    acceptS: round(rest.acceptS),
    owed: rest.owed,
    delivered: rest.delivered,
    deliverS: round(rest.deliverS),
    attempts: rest.attempts,
    bodyBytes: round(rest.bodyBytes),
    cores: { run: round(rest.cores.run), others: round(rest.cores.others) },
    peakMiB: rounded(peakBytes, 2 ** 20),
    apiMiB: rounded(apiMemory, 2 ** 20),
    acceptance:
      acceptance === undefined
        ? null
        : {
            cpuSPer1000: {
              ...rounded(acceptance.cpuSPer1000, 1),
              service: round(sumOf(acceptance.cpuSPer1000, serviceParts)),
            },
            statementsPerEvent: round(acceptance.statementsPerEvent),
            writeTransactionsPerEvent: round(acceptance.writeTransactionsPerEvent),
            walBytesPerEvent: round(acceptance.walBytesPerEvent),
          },
    statementsPerCallout: round(rest.statementsPerCallout),
    writeTransactionsPerCallout: round(rest.writeTransactionsPerCallout),
    walBytesPerCallout: round(rest.walBytesPerCallout),
    redisCommandsPerCallout: round(rest.redisCommandsPerCallout),
    run: { ...options, machine, postgres, redis, settings },
  });
}

function latency({ p50Ms, p95Ms, p99Ms }: Latency) {
  return { p50Ms: round(p50Ms), p95Ms: round(p95Ms), p99Ms: round(p99Ms) };
}

function rounded(values: PerPart | MemoryOverTime, unit: number): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(values).map(([part, value]) => [part, value === undefined ? null : round(value / unit)]),
  );
}

/** Four digits after the point are more than a run is good for. */
function round(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1e4) / 1e4;
}
