import { serviceParts, sumOf } from '../measure/usage.ts';
import { paddedTable } from '../report/padded-table.ts';
import { percentiles } from '../report/percentiles.ts';
import { mebibytes, milliseconds, wholeNumber } from '../report/quantities.ts';
import type { HistoryResult, LoadPair } from './history-result.ts';
import type { LoadResult } from './history-side.ts';
import { sizingOf, sizingTable } from './sizing.ts';
import type { Grown } from './statement-costs.ts';

const STATEMENT_CHARACTERS = 110;

/** The result as Markdown tables, with the conditions of the run above them. */
export function renderHistoryReport(result: HistoryResult): string {
  const { attempts, callouts, events, tenants, seedS, sizes, loads, grown, chores, retention, answers } = result;
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  return [
    `Run:      ${wholeNumber(callouts)} callouts with ${wholeNumber(attempts)} attempts and ${wholeNumber(events)} events of 30 days and ${wholeNumber(tenants)} tenants, ${mebibytes(bytes)}, against none; made in ${seedS.toFixed(0)} s`,
    `Machine:  ${result.machine}`,
    `Load:     ${result.load.toFixed(1)} in the last minute, this run included`,
    `Database: ${result.postgres}`,
    `On disk:  ${wholeNumber(result.bytesPerCallout)} bytes for each callout of the loads, all tables and indexes`,
    '',
    ...loads.flatMap(loadTable),
    ...paddedTable([
      [
        'Question to the log',
        '10,000 attempts',
        'history',
        'ratio',
        'CPU each',
        'with history',
        'rows read',
        'with history',
      ],
      ...answers.map(({ name, empty, history }) => {
        const [few, long] = [p50(empty.tookMs), p50(history.tookMs)];
        return [
          ...[name, milliseconds(few), milliseconds(long), ratio(few, long)],
          ...[milliseconds(empty.cpuMsEach), milliseconds(history.cpuMsEach)],
          ...[wholeNumber(empty.looked.rows), wholeNumber(history.looked.rows)],
        ];
      }),
    ]),
    '',
    ...paddedTable([
      ['Chore', 'no history', 'history', 'ratio', 'blocks', 'with history'],
      ...chores.map(({ name, empty, history }) => [
        ...[name, milliseconds(empty.p50Ms), milliseconds(history.p50Ms), ratio(empty.p50Ms, history.p50Ms)],
        ...[wholeNumber(empty.blocks), wholeNumber(history.blocks)],
      ]),
      ...(retention === undefined
        ? []
        : [
            [
              `${retention.name}: ${retention.dropped} tables`,
              '',
              milliseconds(retention.p50Ms),
              '',
              '',
              wholeNumber(retention.blocks),
            ],
          ]),
    ]),
    '',
    ...(grown.length === 0 ? ['No statement of the loads cost notably more with the history.'] : grownTable(grown)),
    '',
    ...sizing(result),
  ].join('\n');
}

/** The result for programs. */
export function historyJsonLine({ loads, answers, ...run }: HistoryResult): string {
  return JSON.stringify({
    ...run,
    loads: loads.map(({ load, empty, history }) => ({ load, empty, history })),
    answers: answers.map(({ name, empty, history }) => ({
      name,
      empty: p50(empty.tookMs),
      history: p50(history.tookMs),
    })),
  });
}

/** What is compared, each the lower the better. */
const measures: readonly (readonly [name: string, of: (result: LoadResult) => number | undefined, digits: number])[] = [
  ['CPU-s per 1,000 callouts: API', ({ cpuSPer1000 }) => cpuSPer1000.api, 3],
  ['worker', ({ cpuSPer1000 }) => cpuSPer1000.worker, 3],
  ['PostgreSQL', ({ cpuSPer1000 }) => cpuSPer1000.postgres, 3],
  ['service', ({ cpuSPer1000 }) => sumOf(cpuSPer1000, serviceParts), 3],
  ['p50, ms', ({ p50Ms }) => p50Ms, 1],
  ['p99, ms', ({ p99Ms }) => p99Ms, 1],
  ['log bytes per callout', ({ walBytesPerCallout }) => walBytesPerCallout, 0],
  ['whole pages in the log per callout', ({ wholePagesPerCallout }) => wholePagesPerCallout, 2],
  ['blocks read per callout', ({ blocksPerCallout }) => blocksPerCallout, 1],
  ['of them not in shared_buffers', ({ missesPerCallout }) => missesPerCallout, 2],
  ['statements per callout', ({ statementsPerCallout }) => statementsPerCallout, 2],
  ['write transactions per callout', ({ writeTransactionsPerCallout }) => writeTransactionsPerCallout, 3],
];

function loadTable({ load, empty, history }: LoadPair): string[] {
  const rows = measures.map(([name, of, digits]) => {
    const shown = (results: readonly LoadResult[]) => results.map((one) => fixed(of(one), digits)).join(' · ');
    const middle = (results: readonly LoadResult[]) => p50(results.map((one) => of(one) ?? Number.NaN));
    return [name, shown(empty), shown(history), ratio(middle(empty), middle(history))];
  });
  return [...paddedTable([[load.name, 'no history', 'history', 'ratio'], ...rows]), ''];
}

/** What an installation needs, if its machines are like this one. */
function sizing(result: HistoryResult): string[] {
  const rows = sizingOf(result);
  return rows === undefined ? [] : [...paddedTable(sizingTable(rows)), ''];
}

function grownTable(grown: readonly Grown[]): string[] {
  const rows = grown.map(({ text, calls, empty, history }) => [
    text.slice(0, STATEMENT_CHARACTERS).replaceAll('|', '¦'),
    wholeNumber(calls),
    `${empty.blocks.toFixed(0)} → ${history.blocks.toFixed(0)}`,
    `${empty.planMs.toFixed(2)} → ${history.planMs.toFixed(2)}`,
    `${empty.execMs.toFixed(2)} → ${history.execMs.toFixed(2)}`,
  ]);
  return paddedTable([['Statement that grew', 'calls', 'blocks', 'planning, ms', 'execution, ms'], ...rows]);
}

function p50(values: readonly number[]): number {
  return percentiles(values, [50])[0] ?? Number.NaN;
}

function ratio(before: number, after: number): string {
  return Number.isFinite(after / before) ? (after / before).toFixed(2) : 'n/a';
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined || !Number.isFinite(value) ? 'n/a' : value.toFixed(digits);
}
