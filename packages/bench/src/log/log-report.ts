import { paddedTable } from '../report/padded-table.ts';
import { percentiles } from '../report/percentiles.ts';
import { mebibytes, milliseconds, wholeNumber } from '../report/quantities.ts';
import type { Answered } from './ask.ts';
import type { Looked } from './plans.ts';
import type { Size } from './sizes.ts';

/** Answers, the CPU time of API and PostgreSQL for each, and how the rows were found. */
export interface Measured extends Answered {
  /** NaN where it is not known. */
  readonly cpuMsEach: number;
  readonly looked: Looked;
}

/** A run of questions to the delivery log: its conditions, and what it measured. */
export interface LogResult {
  readonly attempts: number;
  readonly callouts: number;
  readonly events: number;
  /** Of the webhook that is asked about. */
  readonly webhookCallouts: number;
  readonly machine: string;
  /** Processes that wanted to run in the last minute, ours among them. */
  readonly load: number;
  readonly postgres: string;
  readonly settings: readonly string[];
  readonly fillS: number;
  readonly sizes: readonly Size[];
  readonly answered: readonly Measured[];
}

/** The result as Markdown tables, with the conditions of the run above them. */
export function renderLogReport(result: LogResult): string {
  const { attempts, callouts, events, webhookCallouts, fillS, sizes, answered, settings } = result;
  return [
    `Run:      ${wholeNumber(attempts)} attempts of ${wholeNumber(callouts)} callouts, ${wholeNumber(events)} events, 30 days, 100 webhooks of 3 tenants; made in ${fillS.toFixed(0)} s`,
    `Asked:    one request at a time, pages of 100; of a webhook with ${wholeNumber(webhookCallouts)} callouts; every answer was checked`,
    `Machine:  ${result.machine}`,
    `Load:     ${result.load.toFixed(1)} in the last minute, this run included`,
    `Database: ${result.postgres}`,
    `Settings: ${settings.length === 0 ? 'defaults' : settings.join(' ')}`,
    '',
    ...paddedTable([['Request', 'asked', 'p50', 'p99', 'CPU each', 'rows looked at'], ...answered.map(rowOf)]),
    '',
    ...paddedTable([['Request', 'Indexes'], ...answered.map(({ name, looked }) => [name, waysOf(looked)])], 2),
    '',
    ...paddedTable([['Table or index', 'size', 'bytes per row'], ...sizes.map((size) => sizeRow(size, result))]),
    '',
  ].join('\n');
}

/** The result for programs. */
export function logJsonLine({ answered, ...run }: LogResult): string {
  const requests = answered.map(({ tookMs, ...one }) => ({ ...one, times: tookMs.length, ...latencyOf(tookMs) }));
  return JSON.stringify({ ...run, requests });
}

function rowOf({ name, tookMs, refused, cpuMsEach, looked }: Measured): string[] {
  const { p50Ms, p99Ms } = latencyOf(tookMs);
  const asked = refused > 0 ? 'refused' : wholeNumber(tookMs.length);
  return [name, asked, ...[p50Ms, p99Ms, cpuMsEach].map(milliseconds), wholeNumber(looked.rows)];
}

function waysOf({ indexes, tablesRead }: Looked): string {
  return [...indexes, ...(tablesRead > 0 ? [`${tablesRead} tables read whole`] : [])].join(', ');
}

function sizeRow({ table, index, bytes }: Size, { attempts, callouts, events }: LogResult): string[] {
  const rows = table === 'attempts' ? attempts : table.startsWith('callout') ? callouts : events;
  return [index === null ? table : `  ${index}`, mebibytes(bytes), wholeNumber(bytes / rows)];
}

function latencyOf(tookMs: readonly number[]): { readonly p50Ms: number; readonly p99Ms: number } {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(tookMs, [50, 99]);
  return { p50Ms, p99Ms };
}
