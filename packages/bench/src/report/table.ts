import type { MemoryOverTime } from '../measure/memory-samples.ts';
import { parts, serviceParts, sumOf, type Part } from '../measure/usage.ts';
import type { BenchOptions } from '../options.ts';
import type { Acceptance, BenchResult, Latency } from './result.ts';

/** The lines above the table. */
export interface RunDescription {
  readonly options: BenchOptions;
  readonly machine: string;
  readonly postgres: string;
  readonly redis: string;
  /** Settings of API and worker that differ from their defaults, such as `CALLOUTS_IN_FLIGHT=100`. */
  readonly settings: readonly string[];
}

type Row = readonly [measure: string, value: string, remark: string];

/** The result as a Markdown table, with the conditions of the run above it. */
export function renderReport(run: RunDescription, result: BenchResult): string {
  return [describe(run), '', ...table([['Measure', 'Value', ''], ...rows(run.options, result)]), ''].join('\n');
}

function describe({ options, machine, postgres, redis, settings }: RunDescription): string {
  const { events, batch, fanout, workers, rate, slow, failing } = options;
  const receivers = [
    count(fanout, 'webhook'),
    slow > 0 ? `${Math.round(slow * fanout)} slow` : '',
    failing > 0 ? `${Math.round(failing * fanout)} failing at first` : '',
  ];
  const { connections, acceptFirst } = options;
  const load = [
    `${count(events, 'event')}, ${batch} per request over ${count(connections, 'connection')}`,
    rate > 0 ? `, ${number(rate)} per second` : '',
    acceptFirst ? ', workers start when all are accepted' : '',
  ].join('');
  return [
    `Run:      ${load}; ${receivers.filter((words) => words !== '').join(', ')}; ${count(workers, 'worker')}`,
    `Machine:  ${machine}`,
    `Database: ${postgres}`,
    `Queue:    ${redis}`,
    `Settings: ${settings.length === 0 ? 'defaults' : settings.join(' ')}`,
  ].join('\n');
}

function rows({ workers }: BenchOptions, result: BenchResult): Row[] {
  return [
    ['accepted/s', number(result.acceptedPerS), `${count(result.accepted, 'event')} in ${result.acceptS.toFixed(2)} s`],
    ['API memory while accepting', memory(result.apiMemory), 'MiB on average, first / middle / last third of the time'],
    ...(result.acceptance === undefined ? [] : acceptanceRows(result.acceptance)),
    [
      'delivered/s',
      number(result.deliveredPerS),
      `${count(result.delivered, 'callout')} in ${result.deliverS.toFixed(2)} s, bodies of ${number(result.bodyBytes)} bytes`,
    ],
    ...latencyRows('event to receiver', result),
    ...(result.promptLatency === undefined ? [] : latencyRows('event to prompt receivers', result.promptLatency)),
    ...cpuRows(result, workers),
    ['PostgreSQL statements per callout', fraction(result.statementsPerCallout), 'BEGIN and COMMIT included'],
    ['PostgreSQL write transactions per callout', fraction(result.writeTransactionsPerCallout), 'of the whole server'],
    ['PostgreSQL log bytes per callout', number(result.walBytesPerCallout), 'of the whole server'],
    ['Redis commands per callout', fraction(result.redisCommandsPerCallout), 'those in scripts included'],
    ['attempts', number(result.attempts), 'HTTP requests at the receiver'],
    ['duplicates', number(result.duplicates), 'taken, and sent again'],
    ['out of order', number(result.outOfOrder), 'after a later callout of the same record'],
    ['not owed', number(result.unowed), ''],
    ['lost', number(result.lost), `of ${count(result.owed, 'callout')} owed`],
  ];
}

function acceptanceRows(acceptance: Acceptance): Row[] {
  const { cpuSPer1000, statementsPerEvent, writeTransactionsPerEvent, walBytesPerEvent } = acceptance;
  return [
    ['CPU-s per 1,000 events accepted, API', fraction(cpuSPer1000.api), 'before the workers started'],
    ['CPU-s per 1,000 events accepted, PostgreSQL', fraction(cpuSPer1000.postgres), ''],
    ['CPU-s per 1,000 events accepted, Redis', fraction(cpuSPer1000.redis), ''],
    ['CPU-s per 1,000 events accepted, service', fraction(sumOf(cpuSPer1000, serviceParts)), 'sum of these three'],
    ['CPU-s per 1,000 events accepted, driver', fraction(cpuSPer1000.driver), ''],
    ['PostgreSQL statements per event accepted', fraction(statementsPerEvent), 'BEGIN and COMMIT included'],
    ['PostgreSQL write transactions per event accepted', fraction(writeTransactionsPerEvent), 'of the whole server'],
    ['PostgreSQL log bytes per event accepted', number(walBytesPerEvent), 'of the whole server'],
  ];
}

function memory({ first, middle, last }: MemoryOverTime): string {
  return [first, middle, last].map((bytes) => (bytes === undefined ? 'n/a' : number(bytes / 2 ** 20))).join(' / ');
}

function latencyRows(what: string, { p50Ms, p95Ms, p99Ms }: Latency): Row[] {
  return [
    [`${what}, p50`, `${number(p50Ms)} ms`, ''],
    [`${what}, p95`, `${number(p95Ms)} ms`, ''],
    [`${what}, p99`, `${number(p99Ms)} ms`, ''],
  ];
}

function cpuRows({ cpuSPer1000, peakBytes, cores }: BenchResult, workers: number): Row[] {
  const row = (name: string, part: Part): Row => [
    `CPU-s per 1,000 callouts, ${name}`,
    fraction(cpuSPer1000[part]),
    peakBytes[part] === undefined ? '' : `peak memory ${number(peakBytes[part] / 2 ** 20)} MiB`,
  ];
  const inUse = `${fraction(cores.run)} cores in use, by others ${fraction(cores.others)}`;
  return [
    row('API', 'api'),
    row(workers === 1 ? 'worker' : `${workers} workers`, 'worker'),
    row('PostgreSQL', 'postgres'),
    row('Redis', 'redis'),
    ['CPU-s per 1,000 callouts, service', fraction(sumOf(cpuSPer1000, serviceParts)), 'sum of these four'],
    row('receiver', 'receiver'),
    row('driver', 'driver'),
    ['CPU-s per 1,000 callouts, everything', fraction(sumOf(cpuSPer1000, parts)), inUse],
  ];
}

function count(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
}

function number(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en-US', { maximumFractionDigits: 0 }) : 'n/a';
}

function fraction(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? 'n/a' : value.toFixed(3);
}

/** Columns are padded, so that the table reads well in a terminal too. */
function table(rows: readonly Row[]): string[] {
  const width = (cell: (row: Row) => string) => Math.max(...rows.map((row) => cell(row).length));
  const widths = [width(([measure]) => measure), width(([, value]) => value), width(([, , remark]) => remark)] as const;
  const line = ([measure, value, remark]: Row) =>
    `| ${measure.padEnd(widths[0])} | ${value.padStart(widths[1])} | ${remark.padEnd(widths[2])} |`;
  const rule = line(['-'.repeat(widths[0]), `${'-'.repeat(widths[1] - 1)}:`, '-'.repeat(widths[2])]);
  const [head, ...body] = rows.map(line);
  return [head ?? '', rule, ...body];
}
