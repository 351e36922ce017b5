import { CHANGED_FIELD, CHANGED_FIELD_CHARACTERS, fillers } from './company-fields.ts';

/** Part of a run that an event belongs to, such as `warm`; its eventID begins with it. At most six letters and digits. */
export type Phase = string;

/** The events of one phase, numbered from 0. */
export interface Workload {
  readonly phase: Phase;
  readonly events: number;
  /** The body of one POST /EntityEvents with the events from `from` up to, not including, `to`. */
  body(from: number, to: number): Buffer;
}

const MOST_RECORDS = 5000;
const EVENTS_PER_RECORD = 4;
/** One event in this many makes a new record. */
const CREATE_EVERY = 10;
/** New records of one workload, at most. */
const MOST_NEW_RECORDS = 1_000_000;

/** Companies that the workload of so many events changes. */
function poolOf(events: number): number {
  return Math.min(MOST_RECORDS, Math.ceil(events / EVENTS_PER_RECORD));
}

/** Creates the pool of companies that a workload of so many events changes. @param atLeast events beyond the pool change it. */
export function warmUpWorkload(events: number, atLeast = 0): Workload {
  const records = poolOf(events);
  return workload('warm', Math.max(records, atLeast), (event) =>
    event < records ? ['Create', event + 1] : ['Update', (scramble(event) % records) + 1],
  );
}

/**
 * Changes companies of the pool, picked at random (the same ones in every run), so that some meet again in one batch and
 * many while an earlier change is still on its way; one event in ten creates a company. Every event carries the whole
 * record and changes one field of it. @param turn differs for each workload in one database, from 1 on.
 */
export function runWorkload(events: number, turn = 1): Workload {
  const records = poolOf(events);
  return workload(`run${turn}`, events, (event) =>
    event % CREATE_EVERY === CREATE_EVERY - 1
      ? ['Create', turn * MOST_NEW_RECORDS + event]
      : ['Update', (scramble(event) % records) + 1],
  );
}

function workload(phase: Phase, events: number, recordOf: (event: number) => [action: string, id: number]): Workload {
  return {
    phase,
    events,
    body(from, to) {
      const texts: string[] = [];
      for (let event = from; event < to; event += 1) {
        const [action, id] = recordOf(event);
        const value = `${phase}${String(event).padStart(CHANGED_FIELD_CHARACTERS - phase.length, '0')}`;
        texts.push(
          `{"eventID":"${phase}-${event}","entityType":"Account","action":"${action}","id":${id},` +
            `"fields":{"${CHANGED_FIELD}":"${value}"${fillerJson(id)}}}`,
        );
      }
      return Buffer.from(`{"events":[${texts.join(',')}]}`);
    },
  };
}

/** The phase and number in an eventID; undefined when the benchmark has not made it. */
export function eventOf(eventId: string): { phase: Phase; event: number } | undefined {
  const [, phase, digits] = /^(warm|run\d+)-(\d{1,9})$/.exec(eventId) ?? [];
  return phase === undefined ? undefined : { phase, event: Number(digits) };
}

/** Text that does not compress, like the real thing. */
const TEXT_CHARACTERS = 65_536;
const LONGEST_FIELD = 255;
const text = Array.from({ length: TEXT_CHARACTERS + LONGEST_FIELD }, (_, i) => (scramble(i) % 36).toString(36)).join(
  '',
);

/** The filling fields of a record: the same each time, different from other records'. */
function fillerJson(recordId: number): string {
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
