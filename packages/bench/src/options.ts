import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usualLoads, type Load } from './plan.ts';

/** What one run does. */
export interface BenchOptions {
  /** The loads to measure, in this order: the usual loads, or the one that the options describe. */
  readonly loads: readonly Load[];
  /** What the options of the load say, with their defaults. */
  readonly load: Load;
  /** Worker processes. */
  readonly workers: number;
  /** Attempts in the history on which loads are compared with none; 0 does not. */
  readonly history: number;
  /** Shows what bad receivers do to the webhooks of the others, instead of measuring how much is delivered. */
  readonly isolation: boolean;
  /** Ends the output with one line of JSON. */
  readonly json: boolean;
  /** File that describes another sender to drive over HTTP; undefined measures Callout itself. */
  readonly target: string | undefined;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

interface NumberOption {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly meaning: string;
}

export const numberOptions = {
  events: { default: 20_000, min: 1, max: 1_000_000, meaning: 'events to send and measure' },
  batch: { default: 100, min: 1, max: 1000, meaning: 'events in one POST /EntityEvents' },
  fanout: { default: 1, min: 1, max: 1000, meaning: 'webhooks that every event is owed to' },
  rate: { default: 0, min: 0, max: 1_000_000, meaning: 'events offered per second; 0 = as many as are accepted' },
  connections: { default: 8, min: 1, max: 1000, meaning: 'requests of the driver under way at once' },
  warmup: { default: 0, min: 0, max: 1_000_000, meaning: 'events before the measurement; at least one per company' },
  workers: { default: 1, min: 1, max: 64, meaning: 'worker processes' },
  history: { default: 0, min: 0, max: 50_000_000, meaning: 'attempts of a history to compare with none' },
} satisfies Record<string, NumberOption>;
type NumberName = keyof typeof numberOptions;

/** Each of them describes a load of its own, in place of the usual ones. */
const LOAD_OPTIONS = ['events', 'batch', 'fanout', 'rate', 'connections', 'warmup'];

/** What another kind of run takes besides, and why nothing else. */
const otherKinds: readonly { readonly name: string; readonly why: string; readonly with: ReadonlySet<string> }[] = [
  { name: 'isolation', why: 'has its own load', with: new Set(['rate', 'workers', 'connections', 'json']) },
  { name: 'history', why: 'has its own loads', with: new Set(['workers', 'json']) },
  { name: 'target', why: 'drives another sender', with: new Set(['events', 'rate', 'connections', 'json']) },
];

const config = {
  options: {
    ...Object.fromEntries(Object.keys(numberOptions).map((name) => [name, { type: 'string' } as const])),
    isolation: { type: 'boolean' },
    json: { type: 'boolean' },
    target: { type: 'string' },
    help: { type: 'boolean' },
  },
} satisfies ParseArgsConfig;

/** Reads the command line, and names everything that is wrong with it at once. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  let values: Record<string, string | boolean | undefined>;
  try {
    ({ values } = parseArgs({ ...config, args: [...args] }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    return { kind: 'refused', problems: [message] };
  }
  if (values['help'] === true) return { kind: 'help' };

  const problems = otherKinds.flatMap((kind) => {
    const others = Object.keys(values).filter((name) => name !== kind.name && !kind.with.has(name));
    if (values[kind.name] === undefined || others.length === 0) return [];
    return [`--${kind.name} ${kind.why}, so --${others.join(', --')} cannot go with it`];
  });
  const read = (name: NumberName) => readNumber(name, values[name], problems);
  const load: Load = {
    name: 'the load',
    events: read('events'),
    batch: read('batch'),
    fanout: read('fanout'),
    rate: read('rate'),
    connections: read('connections'),
    warmup: read('warmup'),
  };
  const options: BenchOptions = {
    loads: LOAD_OPTIONS.some((name) => values[name] !== undefined) ? [load] : usualLoads,
    load,
    workers: read('workers'),
    history: read('history'),
    isolation: values['isolation'] === true,
    json: values['json'] === true,
    target: typeof values['target'] === 'string' ? values['target'] : undefined,
  };
  return problems.length === 0 ? { kind: 'run', options } : { kind: 'refused', problems };
}

function readNumber(name: NumberName, given: string | boolean | undefined, problems: string[]): number {
  const option: NumberOption = numberOptions[name];
  if (given === undefined) return option.default;
  const text = String(given).replaceAll('_', '');
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= option.min && value <= option.max) return value;
  problems.push(`--${name} must be a whole number from ${option.min} to ${option.max}, not ${JSON.stringify(given)}`);
  return option.default;
}
