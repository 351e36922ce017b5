import { paddedTable } from '../report/padded-table.ts';
import { percentiles } from '../report/percentiles.ts';
import { mebibytes, milliseconds, wholeNumber } from '../report/quantities.ts';
import type { Answered } from './ask.ts';

/** Answers, and the CPU time of API and PostgreSQL for each; NaN where it is not known. */
export interface Measured extends Answered {
  readonly cpuMsEach: number;
}

/** A run of searches: its conditions, and what it measured. */
export interface SearchResult {
  readonly companies: number;
  readonly machine: string;
  /** Processes that wanted to run in the last minute, ours among them. */
  readonly load: number;
  readonly postgres: string;
  readonly settings: readonly string[];
  readonly fillS: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
  readonly answered: readonly Measured[];
}

/** The result as a Markdown table, with the conditions of the run above it. */
export function renderSearchReport(result: SearchResult): string {
  const { companies, machine, load, postgres, settings, fillS, tableBytes, indexBytes, answered } = result;
  const head = ['Query', 'asked', 'rows each', 'p50', 'p99', 'CPU each'];
  const rows = answered.map((one) => {
    const { p50Ms, p99Ms } = latencyOf(one);
    return [
      one.name,
      wholeNumber(one.tookMs.length),
      wholeNumber(one.rows / one.tookMs.length),
      milliseconds(p50Ms),
      milliseconds(p99Ms),
      milliseconds(one.cpuMsEach),
    ];
  });
  return [
    `Run:      ${wholeNumber(companies)} companies of one tenant, made in ${fillS.toFixed(0)} s; one query at a time`,
    `Size:     table ${mebibytes(tableBytes)}, index over all values ${mebibytes(indexBytes)}`,
    `Machine:  ${machine}`,
    `Load:     ${load.toFixed(1)} in the last minute, this run included`,
    `Database: ${postgres}`,
    `Settings: ${settings.length === 0 ? 'defaults' : settings.join(' ')}`,
    '',
    ...paddedTable([head, ...rows]),
    '',
  ].join('\n');
}

/** The result for programs. */
export function searchJsonLine({ answered, ...run }: SearchResult): string {
  const queries = answered.map((one) => ({
    name: one.name,
    asked: one.tookMs.length,
    ...latencyOf(one),
    cpuMsEach: one.cpuMsEach,
  }));
  return JSON.stringify({ ...run, queries });
}

function latencyOf({ tookMs }: Answered): { readonly p50Ms: number; readonly p99Ms: number } {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(tookMs, [50, 99]);
  return { p50Ms, p99Ms };
}
