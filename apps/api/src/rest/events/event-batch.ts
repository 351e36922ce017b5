import { mostProblems, Problem, type ProblemDetail } from '@callout/domain/problem';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { expectedKey, type UnknownName, type UnknownNames } from '@callout/domain/input/unknown-names';
import { expectedField, isObject } from './given-fields.ts';
import { readEvent, type BatchContext, type GivenEvent } from './read-event.ts';

export const MAX_EVENTS = 1000;
/** The most unknown names of a batch, repeated names included: a hundred for each of a thousand events. */
export const MAX_IGNORED_NAMES = 100_000;

const keys = knownKeys({
  events: {
    eventID: null,
    entityType: null,
    action: null,
    id: null,
    resourceID: null,
    eventTime: null,
    fields: null,
    userDefinedFields: null,
    changedFields: null,
  },
});

/** A body of events, not read yet. */
export interface GivenBatch {
  readonly events: readonly GivenEvent[];
  /** Unknown keys: of an event by the index, of the whole body under -1. */
  readonly unknownNames: UnknownNamesByIndex;
}

/** By the index of the event. */
type UnknownNamesByIndex = Map<number, UnknownName[]>;

const OF_BODY = -1;

/** The events of a body. Throws a 400 Problem unless there are 1 to 1000 of them. */
export function givenEvents(body: unknown, names: UnknownNames): GivenBatch {
  const unknownNames: UnknownNamesByIndex = new Map();
  const count = countUnknownNames();
  const { events } = foldKeys(body, keys, (key, path, expectedKeys) => {
    count();
    const name = names.find('', key, expectedKey(expectedKeys));
    // Absent when enough are named: the rest costs nothing more.
    if (name !== undefined) note(unknownNames, Number(/^events\[(\d+)\]\.$/u.exec(path)?.[1] ?? OF_BODY), name);
  });
  if (!Array.isArray(events) || events.length < 1 || events.length > MAX_EVENTS) {
    const message = `events must be an array of 1 to ${MAX_EVENTS} events`;
    throw Problem.invalid([{ code: codeOf(events), field: 'events', message }]);
  }
  const wrong = events.findIndex((event) => !isObject(event));
  if (wrong !== -1) {
    const field = `events[${wrong}]`;
    throw Problem.invalid([{ code: 'invalidType', field, message: `${field} must be an object` }]);
  }
  return { events: events as GivenEvent[], unknownNames };
}

/** Throws a 400 Problem when called more often than a batch may have unknown names: the rest is not read. */
function countUnknownNames(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= MAX_IGNORED_NAMES) return;
    const message = `The events have more than ${MAX_IGNORED_NAMES} names that are no field: leave these out, or send fewer events at a time.`;
    throw Problem.invalid([{ code: 'tooLarge', field: 'events', message }]);
  };
}

function note(unknownNames: UnknownNamesByIndex, index: number, name: UnknownName | undefined): void {
  if (name === undefined) return;
  const expectedKeys = unknownNames.get(index);
  if (expectedKeys === undefined) unknownNames.set(index, [name]);
  else expectedKeys.push(name);
}

function codeOf(events: unknown): ProblemDetail['code'] {
  if (events === undefined || events === null) return 'required';
  return Array.isArray(events) ? 'invalid' : 'invalidType';
}

/** Whether reading the events needs the tenant's user-defined fields. */
export function mayNameUserDefinedFields(events: readonly GivenEvent[]): boolean {
  return events.some((event) => event['userDefinedFields'] !== undefined || event['changedFields'] !== undefined);
}

/** The events for the ingest, and the ignored names. */
export interface EventBatch {
  readonly events: IngestEvent[];
  /** Of the event with an index; without an index, of the body. */
  readonly unknownNamesOf: (index?: number) => readonly UnknownName[];
}

/**
 * Reads a batch into events for the ingest. A single invalid event fails the whole batch, by a 400 Problem whose every
 * detail names the event's index and the key at fault. Unknown names are errors as well when the caller is strict. A
 * batch may have a million values: further requests are served between the events.
 */
export async function readEventBatch(
  { events, unknownNames }: GivenBatch,
  context: BatchContext,
  names: UnknownNames,
  call: { readonly isStrict: boolean },
  yieldToOthers = createYield(),
): Promise<EventBatch> {
  const problems: ProblemDetail[] = [];
  const read: IngestEvent[] = [];
  const count = countUnknownNames();
  for (const [index, event] of events.entries()) {
    await yieldToOthers();
    const readOne = readEvent(event, `events[${index}].`, context, problems, (name, entity) => {
      count();
      note(unknownNames, index, names.find('fields.', name, expectedField(entity)));
    });
    if (readOne !== undefined) read.push(readOne);
    if (problems.length >= mostProblems) break;
  }
  if (unknownNames.size > 0 && call.isStrict) problems.push(...refusals(unknownNames));
  if (problems.length > 0) throw Problem.invalid(problems);
  return { events: read, unknownNamesOf: (index = OF_BODY) => unknownNames.get(index) ?? [] };
}

/** Unknown names as problems, which name the event. */
function refusals(unknownNames: UnknownNamesByIndex): ProblemDetail[] {
  return [...unknownNames].flatMap(([index, names]) => {
    const where = index === OF_BODY ? '' : `events[${index}].`;
    return names.map(({ code, field, message }) => ({ code, field: where + field, message: where + message }));
  });
}
