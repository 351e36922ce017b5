import { percentiles } from '../report/percentiles.ts';
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
      number(one.tookMs.length),
      number(one.rows / one.tookMs.length),
      ms(p50Ms),
      ms(p99Ms),
      ms(one.cpuMsEach),
    ];
  });
  return [
    `Run:      ${number(companies)} companies of one tenant, made in ${fillS.toFixed(0)} s; one query at a time`,
    `Size:     table ${mebibytes(tableBytes)}, index over all values ${mebibytes(indexBytes)}`,
    `Machine:  ${machine}`,
    `Load:     ${load.toFixed(1)} in the last minute, this run included`,
    `Database: ${postgres}`,
    `Settings: ${settings.length === 0 ? 'defaults' : settings.join(' ')}`,
    '',
    ...table([head, ...rows]),
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

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

function ms(value: number): string {
  if (Number.isNaN(value)) return 'n/a';
  return `${value < 100 ? value.toFixed(1) : number(value)} ms`;
}

function mebibytes(bytes: number): string {
  return `${number(bytes / 2 ** 20)} MiB`;
}

/** Columns are padded, so that the table reads well in a terminal too. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]) => `| ${row.map(pad).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}
