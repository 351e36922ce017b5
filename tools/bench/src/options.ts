import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usualLoads, type Load } from './plan.ts';

/** What one run does: `isolation`, `target` or a `history` of so many attempts in place of the loads. */
export interface BenchOptions {
  /** The loads to measure, in this order: the usual loads, or the one that the options describe. */
  readonly loads: readonly Load[];
  /** The load that the options describe, with their defaults. */
  readonly load: Load;
  readonly workers: number;
  readonly history: number;
  readonly isolation: boolean;
  /** A file that describes another sender to drive over HTTP. */
  readonly target: string | undefined;
  /** Ends the output with one line of JSON. */
  readonly json: boolean;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

export const numberOptions = {
  events: { default: 20_000, least: 1, most: 1_000_000, meaning: 'events to send and measure' },
  batch: { default: 100, least: 1, most: 1000, meaning: 'events in one POST /EntityEvents' },
  fanout: { default: 1, least: 1, most: 1000, meaning: 'webhooks that every event is owed to' },
  rate: { default: 0, least: 0, most: 1_000_000, meaning: 'events offered per second; 0 = as many as are accepted' },
  connections: { default: 8, least: 1, most: 1000, meaning: 'requests of the driver under way at once' },
  warmup: { default: 0, least: 0, most: 1_000_000, meaning: 'events before the measurement; at least one per company' },
  workers: { default: 1, least: 1, most: 64, meaning: 'worker processes' },
  history: { default: 0, least: 0, most: 50_000_000, meaning: 'attempts of a history to compare with none' },
};
type NumberName = keyof typeof numberOptions;

/** Each of them describes a load of its own, in place of the usual ones. */
const LOAD_OPTIONS = ['events', 'batch', 'fanout', 'rate', 'connections', 'warmup'];

/** What another kind of run takes besides its own option: the others describe the usual run. */
const otherKinds: Readonly<Record<string, readonly string[]>> = {
  isolation: ['rate', 'workers', 'connections', 'json'],
  history: ['workers', 'json'],
  target: ['events', 'rate', 'connections', 'json'],
};

const config = {
  options: {
    ...Object.fromEntries(Object.keys(numberOptions).map((name) => [name, { type: 'string' } as const])),
    ...{
      isolation: { type: 'boolean' },
      json: { type: 'boolean' },
      target: { type: 'string' },
      help: { type: 'boolean' },
    },
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

  const problems = Object.entries(otherKinds).flatMap(([kind, allowed]) => {
    const others = Object.keys(values).filter((name) => name !== kind && !allowed.includes(name));
    return values[kind] === undefined || others.length === 0
      ? []
      : [`--${kind} does not go with --${others.join(', --')}`];
  });
  const read = (name: NumberName) => readNumber(name, values[name], problems);
  const [events, batch, fanout] = [read('events'), read('batch'), read('fanout')];
  const [rate, connections, warmup] = [read('rate'), read('connections'), read('warmup')];
  const load: Load = { name: 'the load', events, batch, fanout, rate, connections, warmup };
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
  const { default: usual, least, most } = numberOptions[name];
  if (given === undefined) return usual;
  const text = String(given).replaceAll('_', '');
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  problems.push(`--${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(given)}`);
  return usual;
}
