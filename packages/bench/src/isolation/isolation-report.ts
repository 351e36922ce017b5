import { paddedTable } from '../report/padded-table.ts';
import type { IsolationResult, JudgedRound, JudgedTrouble } from './isolation-result.ts';

/** A run: its conditions, and what it showed. */
export interface IsolationRun {
  readonly webhooks: number;
  readonly eventsPerS: number;
  readonly eventsPerRound: number;
  readonly workers: number;
  readonly machine: string;
  /** Processes that wanted to run in the last minute, ours among them. */
  readonly load: number;
  readonly postgres: string;
  readonly redis: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly result: IsolationResult;
}

/** The result as Markdown tables, with the conditions of the run above them. */
export function renderIsolationReport(run: IsolationRun): string {
  const { webhooks, eventsPerS, eventsPerRound, workers, result } = run;
  const { owed, lost, duplicates, unowed, outOfOrder } = result;
  return [
    `Run:      ${webhooks} webhooks, each event owed to all: ${eventsPerS} events/s make ${number(eventsPerS * webhooks)} callouts/s;`,
    `          rounds of ${(eventsPerRound / eventsPerS).toFixed(0)} s; ${workers} worker${workers === 1 ? '' : 's'}`,
    `Machine:  ${run.machine}`,
    `Load:     ${run.load.toFixed(1)} in the last minute, this run included`,
    `Database: ${run.postgres}`,
    `Redis:    ${run.redis}`,
    `Settings: ${Object.entries(run.settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    '',
    'From the sending of an event to its arrival at the webhooks whose receivers are well; cores in use by others:',
    '',
    ...paddedTable([
      [
        'Bad receivers',
        'p50',
        'p95',
        'p99',
        'p99 / clean',
        'owed to bad',
        'attempts at bad',
        'at once at one',
        'others',
      ],
      ...result.rounds.map(roundRow),
    ]),
    '',
    'All rounds of a kind against all clean rounds next to them; clean rounds against each other show what chance does:',
    '',
    ...paddedTable([
      ['Bad receivers', 'p50', 'p95', 'p99', 'p50 / clean', 'p95 / clean', 'p99 / clean', 'by round'],
      ...result.troubles.map(troubleRow),
    ]),
    '',
    `All receivers were well in the end: of ${number(owed)} callouts ${number(lost)} lost, ${number(duplicates)} duplicated, ` +
      `${number(outOfOrder)} out of order, ${number(unowed)} not owed.`,
    '',
  ].join('\n');
}

/** The result for programs. */
export function isolationJsonLine({ result, ...run }: IsolationRun): string {
  return JSON.stringify({ ...run, ...result });
}

function roundRow({
  trouble,
  healthy,
  ratios,
  owedToBad,
  attemptsAtBad,
  mostUnderWay,
  othersCores,
}: JudgedRound): string[] {
  const ofBad = trouble === 'none' ? ['', '', ''] : [owedToBad, attemptsAtBad, mostUnderWay].map(number);
  const { p50Ms, p95Ms, p99Ms } = healthy;
  return [trouble, ms(p50Ms), ms(p95Ms), ms(p99Ms), ratio(ratios?.p99), ...ofBad, ratio(othersCores)];
}

function troubleRow({ trouble, healthy: { p50Ms, p95Ms, p99Ms }, ratios, p99Ratios }: JudgedTrouble): string[] {
  const byRound = p99Ratios.map(ratio).join(' … ');
  return [trouble, ...[p50Ms, p95Ms, p99Ms].map(ms), ...[ratios.p50, ratios.p95, ratios.p99].map(ratio), byRound];
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

function ms(value: number): string {
  return Number.isFinite(value) ? `${number(value)} ms` : 'n/a';
}

/** Of a ratio, or of cores. */
function ratio(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? 'n/a' : value.toFixed(2);
}
