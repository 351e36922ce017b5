import { foldKeys, knownKeys, Problem, type ProblemDetail } from '@callout/core';
import type { IntakeEvent } from '@callout/db';
import { isObject } from '../records/given-fields.ts';
import { readEvent, type BatchContext, type GivenEvent } from './read-event.ts';

const MAX_EVENTS = 1000;
/** More problems than anyone reads are not looked for. */
const MAX_PROBLEMS = 100;

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

/** The events of a body. Throws a 400 Problem unless there are 1 to 1000 of them. */
export function givenEvents(body: unknown): GivenEvent[] {
  const { events } = foldKeys(body, keys);
  if (!Array.isArray(events) || events.length < 1 || events.length > MAX_EVENTS) {
    const message = `events must be an array of 1 to ${MAX_EVENTS} events`;
    throw Problem.invalid([{ code: codeOf(events), field: 'events', message }]);
  }
  const wrong = events.findIndex((event) => !isObject(event));
  if (wrong !== -1) {
    const field = `events[${wrong}]`;
    throw Problem.invalid([{ code: 'invalidType', field, message: `${field} must be an object` }]);
  }
  return events as GivenEvent[];
}

function codeOf(events: unknown): ProblemDetail['code'] {
  if (events === undefined || events === null) return 'required';
  return Array.isArray(events) ? 'invalid' : 'invalidType';
}

/** Whether reading these events needs the tenant's user-defined fields. */
export function mayNameUserDefinedFields(events: readonly GivenEvent[]): boolean {
  return events.some((event) => event['userDefinedFields'] !== undefined || event['changedFields'] !== undefined);
}

/**
 * Reads a batch into what the intake takes. One bad event fails the whole batch: throws a 400 Problem whose every detail
 * names the event's index and the key at fault.
 */
export function readEventBatch(events: readonly GivenEvent[], context: BatchContext): IntakeEvent[] {
  const problems: ProblemDetail[] = [];
  const read: IntakeEvent[] = [];
  for (const [index, event] of events.entries()) {
    const intakeEvent = readEvent(event, `events[${index}].`, context, problems);
    if (intakeEvent !== undefined) read.push(intakeEvent);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  if (problems.length > 0) throw Problem.invalid(problems);
  return read;
}
