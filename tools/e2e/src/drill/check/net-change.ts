import type { CalloutBody } from '../receivers/read-body.ts';
import type { ExpectedCallout } from './model.ts';

/** A record at a receiver: the values that it was shown; undefined: it has none. */
export type Held = Readonly<Record<string, string | null>> | undefined;

export function receive(held: Held, { action, fields }: Pick<ExpectedCallout, 'action' | 'fields'>): Held {
  if (action === 'Delete') return undefined;
  return action === 'Create' ? fields : { ...held, ...fields };
}

/**
 * Compares a callout with the events that it carries: the net change, with the values right after the last one. What it
 * does not show of that, its receiver must have been shown already.
 * @param events the owed callouts of these events, in order, without merging.
 * @returns what is wrong, without the name of the callout.
 */
export function checkNetChange(body: CalloutBody, events: readonly ExpectedCallout[], held: Held): string[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return ['carries no event'];
  const action = last.action === 'Delete' ? 'Delete' : first.action === 'Create' ? 'Create' : 'Update';
  const problems: string[] = [];
  const claim = (isTrue: boolean, problem: string) => {
    if (!isTrue) problems.push(problem);
  };
  claim(body.Action === action, `is a ${body.Action}, not a ${action}`);
  claim(body.PersonID === last.personId, `is by ${body.PersonID}, not by ${last.personId}`);
  claim(last.eventTime === null || body.EventTime === last.eventTime, `is of ${body.EventTime}`);
  const { Fields: fields, PreviousFields: previous } = body;
  if (first === last || action !== 'Update') {
    const wanted = first === last ? last.fields : action === 'Create' ? last.effect.values : {};
    claim(JSON.stringify(fields) === JSON.stringify(wanted), `shows ${JSON.stringify(fields)}`);
    const before = first === last ? last.previousFields : last.previousFields && {};
    claim(JSON.stringify(previous) === JSON.stringify(before), `has ${JSON.stringify(previous)} as previous values`);
    return problems;
  }
  const changed = new Set(events.flatMap(({ effect }) => effect.changed));
  const { values } = last.effect;
  const isHeld = (key: string) => held !== undefined && Object.hasOwn(held, key) && held[key] === values[key];
  const shown = new Set([...changed, ...Object.keys(last.fields)]);
  for (const [key, value] of Object.entries(fields))
    claim(shown.has(key) && value === values[key], `shows ${key} as ${value}, not as ${values[key]}`);
  for (const key of shown) {
    // Not known any more: the record was deleted and began anew, without a callout.
    const isKnown = values[key] !== undefined;
    claim(!isKnown || key in fields || isHeld(key), `does not show ${key}, which is ${values[key]}`);
  }
  for (const [key, value] of Object.entries(previous ?? {})) {
    const isRight = events.some(({ effect }) => key in effect.previous && effect.previous[key] === value);
    claim(key in fields && isRight, `has ${value} as the previous value of ${key}`);
  }
  if (last.previousFields === undefined) return problems;
  for (const key of [...changed].filter((name) => name in fields)) {
    const changes = events.filter(({ effect }) => effect.changed.includes(key));
    const isKnown = changes.every(({ effect }) => effect.previous[key] !== undefined);
    const isLeft = isKnown && !isHeld(key) && isChangeLeft(key, events, held);
    claim(!isLeft || key in (previous ?? {}), `lacks the previous value of ${key}`);
  }
  return problems;
}

/**
 * Whether the last of these changes of a field is left: once it has the value again that the receiver holds, nothing is
 * left of those before. It may have another value later without a change: of an event that names its changed fields and
 * leaves it out, or of one that is owed no callout.
 */
function isChangeLeft(key: string, events: readonly ExpectedCallout[], held: Held): boolean {
  let isLeft = false;
  for (const { effect } of events) {
    if (effect.changed.includes(key)) isLeft = true;
    if (held !== undefined && Object.hasOwn(held, key) && held[key] === effect.values[key]) isLeft = false;
  }
  return isLeft;
}
