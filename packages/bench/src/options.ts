import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What one run does. */
export interface BenchOptions {
  /** Events that are measured. */
  readonly events: number;
  /** Events in one POST /EntityEvents. */
  readonly batch: number;
  /** Webhooks that every event is owed to. */
  readonly fanout: number;
  /** Bytes of a callout's body. */
  readonly payload: number;
  /** Share of the webhooks whose receiver takes half a second to answer. */
  readonly slow: number;
  /** Share of the webhooks whose receiver fails the first attempts of every callout. */
  readonly failing: number;
  /** Worker processes. */
  readonly workers: number;
  /** Events per second offered; 0 is as many as are accepted. */
  readonly rate: number;
  /** Requests of the driver under way at once. */
  readonly connections: number;
  /** Events before the measurement, at least; one creates each company that the run changes. */
  readonly warmup: number;
  /** Workers start when all events are accepted, so that acceptance is measured by itself. */
  readonly acceptFirst: boolean;
  /** Companies to search, instead of sending events; 0 sends events. */
  readonly search: number;
  /** Attempts in the history that the delivery log is asked about, instead of sending events; 0 sends events. */
  readonly log: number;
  /** Attempts in the history on which loads, questions and chores are compared with none; 0 does not. */
  readonly history: number;
  /** The database with that history stays, for the next run with the same number. */
  readonly keep: boolean;
  /** Viewers of GET /Live to connect, instead of sending events; 0 sends events. */
  readonly viewers: number;
  /** Shows what bad receivers do to the webhooks of the others, instead of measuring how much is delivered. */
  readonly isolation: boolean;
  /** How often each kind of bad receivers takes its turn. */
  readonly cycles: number;
  /** Ends the output with one line of JSON. */
  readonly json: boolean;
  /** Directory for CPU profiles; undefined for none. */
  readonly profile: string | undefined;
  /** File that describes another sender to drive over HTTP; undefined measures Callout itself. */
  readonly target: string | undefined;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

type NumberName = Exclude<keyof BenchOptions, 'acceptFirst' | 'isolation' | 'keep' | 'json' | 'profile' | 'target'>;

interface NumberOption {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly meaning: string;
  /** A share has a fraction; everything else counts things. */
  readonly isShare?: boolean;
}

export const numberOptions: Readonly<Record<NumberName, NumberOption>> = {
  events: { default: 20_000, min: 1, max: 1_000_000, meaning: 'events to send and measure' },
  batch: { default: 100, min: 1, max: 1000, meaning: 'events in one POST /EntityEvents' },
  fanout: { default: 1, min: 1, max: 1000, meaning: 'webhooks that every event is owed to' },
  payload: { default: 1024, min: 1, max: 1_000_000, meaning: "bytes of a callout's body" },
  slow: { default: 0, min: 0, max: 1, isShare: true, meaning: 'share of the webhooks that take 500 ms to answer' },
  failing: { default: 0, min: 0, max: 1, isShare: true, meaning: 'share of the webhooks that fail 2 attempts of 3' },
  workers: { default: 1, min: 1, max: 64, meaning: 'worker processes' },
  rate: { default: 0, min: 0, max: 1_000_000, meaning: 'events offered per second; 0 = as many as are accepted' },
  connections: { default: 8, min: 1, max: 1000, meaning: 'requests of the driver under way at once' },
  warmup: { default: 0, min: 0, max: 1_000_000, meaning: 'events before the measurement; at least one per company' },
  search: { default: 0, min: 0, max: 5_000_000, meaning: 'companies to search instead of sending events' },
  log: {
    default: 0,
    min: 0,
    max: 50_000_000,
    meaning: 'attempts in the delivery log to ask, instead of sending events',
  },
  history: { default: 0, min: 0, max: 50_000_000, meaning: 'attempts of a history to compare with none' },
  viewers: { default: 0, min: 0, max: 1800, meaning: 'viewers of GET /Live to connect, instead of sending events' },
  cycles: {
    default: 2,
    min: 1,
    max: 100,
    meaning: 'turns of each kind of bad receivers (--isolation), or of each load (--history)',
  },
};

/** What a run of searches takes besides. */
const GOES_WITH_SEARCH: ReadonlySet<string> = new Set(['search', 'json', 'profile']);
/** What a run that asks the delivery log takes besides. */
const GOES_WITH_LOG: ReadonlySet<string> = new Set(['log', 'json', 'profile']);
/** What a run on a long history takes besides: the loads are given. */
const GOES_WITH_HISTORY: ReadonlySet<string> = new Set(['history', 'keep', 'cycles', 'payload', 'workers', 'json']);
/** What a run with viewers takes besides. */
const GOES_WITH_VIEWERS: ReadonlySet<string> = new Set(['viewers', 'json', 'profile']);
/** What a run that shows isolation takes besides: the rest of the load is given. */
const GOES_WITH_ISOLATION: ReadonlySet<string> = new Set([
  ...['isolation', 'cycles', 'rate', 'workers', 'payload', 'connections', 'json', 'profile'],
]);

/** What a run against another sender takes besides: it sends one event per request. */
const GOES_WITH_TARGET: ReadonlySet<string> = new Set(['target', 'events', 'rate', 'connections', 'payload', 'json']);

/** Fewer would not fill the pages that are asked for. */
const LEAST_LOG = 1000;

const config = {
  options: {
    ...Object.fromEntries(Object.keys(numberOptions).map((name) => [name, { type: 'string' } as const])),
    'accept-first': { type: 'boolean' },
    isolation: { type: 'boolean' },
    keep: { type: 'boolean' },
    json: { type: 'boolean' },
    profile: { type: 'string' },
    target: { type: 'string' },
    help: { type: 'boolean' },
  },
} satisfies ParseArgsConfig;

/** Reads the command line. Everything that is wrong with it is told at once. */
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

  const problems: string[] = [];
  const read = (name: NumberName) => readNumber(name, values[name], problems);
  const options: BenchOptions = {
    events: read('events'),
    batch: read('batch'),
    fanout: read('fanout'),
    payload: read('payload'),
    slow: read('slow'),
    failing: read('failing'),
    workers: read('workers'),
    rate: read('rate'),
    connections: read('connections'),
    warmup: read('warmup'),
    search: read('search'),
    log: read('log'),
    history: read('history'),
    keep: values['keep'] === true,
    viewers: read('viewers'),
    isolation: values['isolation'] === true,
    cycles: read('cycles'),
    acceptFirst: values['accept-first'] === true,
    json: values['json'] === true,
    profile: typeof values['profile'] === 'string' ? values['profile'] : undefined,
    target: typeof values['target'] === 'string' ? values['target'] : undefined,
  };
  if (problems.length === 0) checkShares(options, problems);
  if (options.search > 0) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_SEARCH.has(name));
    if (others.length > 0) problems.push(`--search sends no events, so --${others.join(', --')} cannot go with it`);
  }
  if (options.log > 0) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_LOG.has(name));
    if (others.length > 0) problems.push(`--log sends no events, so --${others.join(', --')} cannot go with it`);
    if (options.log < LEAST_LOG) problems.push(`--log must be 0 or at least ${LEAST_LOG}: two pages of a webhook`);
  }
  if (options.history > 0) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_HISTORY.has(name));
    if (others.length > 0) problems.push(`--history has its own loads, so --${others.join(', --')} cannot go with it`);
    if (options.history < LEAST_LOG)
      problems.push(`--history must be 0 or at least ${LEAST_LOG}: two pages of a webhook`);
  } else if (options.keep) problems.push('--keep goes with --history only');
  if (options.viewers > 0) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_VIEWERS.has(name));
    if (others.length > 0) problems.push(`--viewers sends no events, so --${others.join(', --')} cannot go with it`);
  }
  if (options.target !== undefined) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_TARGET.has(name));
    if (others.length > 0)
      problems.push(`--target drives another sender, so --${others.join(', --')} cannot go with it`);
  }
  if (options.isolation) {
    const others = Object.keys(values).filter((name) => !GOES_WITH_ISOLATION.has(name));
    if (others.length > 0) problems.push(`--isolation has its own load, so --${others.join(', --')} cannot go with it`);
  } else if (values['cycles'] !== undefined && options.history === 0) {
    problems.push('--cycles goes with --isolation and --history only');
  }
  return problems.length === 0 ? { kind: 'run', options } : { kind: 'refused', problems };
}

function readNumber(name: NumberName, given: string | boolean | undefined, problems: string[]): number {
  const option = numberOptions[name];
  if (given === undefined) return option.default;
  const text = String(given).replaceAll('_', '');
  const pattern = option.isShare === true ? /^\d*\.?\d+$/ : /^\d+$/;
  const value = pattern.test(text) ? Number(text) : Number.NaN;
  if (value >= option.min && value <= option.max) return value;
  const kind = option.isShare === true ? 'a number' : 'a whole number';
  problems.push(`--${name} must be ${kind} from ${option.min} to ${option.max}, not ${JSON.stringify(given)}`);
  return option.default;
}

/** A share of the webhooks has to be a whole number of them, or the run would not be what its options say. */
function checkShares({ slow, failing, fanout }: BenchOptions, problems: string[]): void {
  for (const [name, share] of Object.entries({ slow, failing })) {
    const webhooks = share * fanout;
    if (Math.abs(webhooks - Math.round(webhooks)) < 1e-6) continue;
    const enough = Array.from({ length: 1000 }, (_, i) => i + 1).find((n) => Math.abs((share * n) % 1) < 1e-6);
    const hint = enough === undefined ? '' : `: try --fanout ${enough}`;
    problems.push(`--${name} ${share} of --fanout ${fanout} is no whole number of webhooks${hint}`);
  }
  if (slow + failing > 1) problems.push('--slow and --failing together are more than all webhooks');
}
