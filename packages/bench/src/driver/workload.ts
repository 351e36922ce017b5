import type { FillerField } from './company-fields.ts';
import { CHANGED_FIELD, CHANGED_FIELD_CHARACTERS } from './company-fields.ts';

/** Which part of a run an event belongs to; its eventID begins with it. */
export type Phase = 'warm' | 'run';

/** The events of one phase, numbered from 0. */
export interface Workload {
  readonly phase: Phase;
  readonly events: number;
  /** The body of one POST /EntityEvents with the events from `from` up to, not including, `to`. */
  body(from: number, to: number): Buffer;
}

export interface WorkloadOptions {
  readonly entityType: string;
  readonly fillers: readonly FillerField[];
  /** Events of the measured phase. */
  readonly events: number;
  /** Events of the warm-up, at least: those beyond the pool change companies of it. */
  readonly warmup: number;
  /** Of one of several runs in a database. */
  readonly place?: WorkloadPlace;
}

/** Keeps the events and the records of one run apart from those of others. */
export interface WorkloadPlace {
  /** Ends each eventID, and begins the values: at most four letters and digits. */
  readonly label: string;
  /** The ids of the pool of companies begin after this one, and those of new companies after that one. */
  readonly poolAfter: number;
  readonly newAfter: number;
}

const MOST_RECORDS = 5000;
const EVENTS_PER_RECORD = 4;
/** One event in this many makes a new record. */
const CREATE_EVERY = 10;

/**
 * Two phases: the warm-up creates a pool of companies; the run changes companies of the pool, picked at random (the same
 * ones in every run), so that some meet again in one batch and many while an earlier change is still on its way. Every
 * event carries the whole record and changes one field of it.
 */
export function createWorkloads(options: WorkloadOptions): Record<Phase, Workload> {
  const { entityType, fillers, events, warmup, place } = options;
  const records = Math.min(MOST_RECORDS, Math.ceil(events / EVENTS_PER_RECORD));
  const { poolAfter, newAfter, label } = place ?? { poolAfter: 0, newAfter: records, label: undefined };
  const phase = (name: Phase, count: number, recordOf: (event: number) => [action: string, id: number]): Workload => ({
    phase: name,
    events: count,
    body(from, to) {
      const texts: string[] = [];
      for (let event = from; event < to; event += 1) {
        const [action, id] = recordOf(event);
        const run = label ?? name;
        const value = `${run}${String(event).padStart(CHANGED_FIELD_CHARACTERS - run.length, '0')}`;
        texts.push(
          `{"eventID":"${eventIdOf(name, event, label)}","entityType":"${entityType}","action":"${action}","id":${id},` +
            `"fields":{"${CHANGED_FIELD}":"${value}"${fillerJson(fillers, id)}}}`,
        );
      }
      return Buffer.from(`{"events":[${texts.join(',')}]}`);
    },
  });
  return {
    warm: phase('warm', Math.max(records, warmup), (event) =>
      event < records ? ['Create', poolAfter + event + 1] : ['Update', poolAfter + (scramble(event) % records) + 1],
    ),
    run: phase('run', events, (event) =>
      event % CREATE_EVERY === CREATE_EVERY - 1
        ? ['Create', newAfter + event + 1]
        : ['Update', poolAfter + (scramble(event) % records) + 1],
    ),
  };
}

function eventIdOf(phase: Phase, event: number, label: string | undefined): string {
  return label === undefined ? `${phase}-${event}` : `${phase}-${event}-${label}`;
}

/** The phase and number in an eventID; undefined when the benchmark has not made it. */
export function eventOf(eventId: string): { phase: Phase; event: number } | undefined {
  const [, phase, digits] = /^(warm|run)-(\d{1,9})(?:-[a-z0-9]+)?$/.exec(eventId) ?? [];
  return phase === undefined ? undefined : { phase: phase as Phase, event: Number(digits) };
}

/** Text that does not compress, like the real thing. */
const TEXT_CHARACTERS = 65_536;
const LONGEST_FIELD = 32_000;
const text = Array.from({ length: TEXT_CHARACTERS + LONGEST_FIELD }, (_, i) => (scramble(i) % 36).toString(36)).join(
  '',
);

/** The filling fields of a record: the same each time, different from other records'. */
function fillerJson(fillers: readonly FillerField[], recordId: number): string {
  let json = '';
  for (const [index, { name, characters }] of fillers.entries()) {
    const start = scramble(recordId * 64 + index) % TEXT_CHARACTERS;
    json += `,"${name}":"${text.slice(start, start + characters)}"`;
  }
  return json;
}

/** A number that looks random and depends on `n` alone (the finalizer of MurmurHash3). */
function scramble(n: number): number {
  let hash = n ^ 0x9e3779b9;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
