import { describe, expect, it } from '@jest/globals';
import type { CalloutBody } from '../receivers/read-body.ts';
import type { Effect, ExpectedCallout } from './model.ts';
import { checkNetChange } from './net-change.ts';

const [oslo, bern] = [{ City: 'Oslo' }, { City: 'Bern' }];

/** A change of the city from Bern to Oslo, and what the record then is. */
function owed(eventId: string, effect: Partial<Effect>, isLast = false): ExpectedCallout {
  return {
    ...{ webhook: 'hook', recordId: 1, eventId, action: 'Update', format: 'reference', personId: 2, eventTime: null },
    fields: { ...oslo, Grade: effect.values?.['Grade'] ?? null },
    ...(isLast && { previousFields: bern }),
    mayBeCancelled: false,
    effect: { values: {}, changed: [], previous: {}, ...effect },
  };
}

function body(grade: string, previous: Record<string, string>): CalloutBody {
  const about = { Action: 'Update', Guid: 'guid', EntityType: 'Account', Id: 1, PersonID: 2, SequenceNumber: 3 };
  return { ...about, EventTime: '', Fields: { ...oslo, Grade: grade }, PreviousFields: previous };
}

describe('the previous values of a merged callout', () => {
  const there = owed('e1', { values: { ...bern, Grade: 'B' }, changed: ['Grade'], previous: { Grade: 'A' } });
  const back = owed('e2', { values: { ...bern, Grade: 'A' }, changed: ['Grade'], previous: { Grade: 'B' } });
  const city = { changed: ['City'], previous: bern };
  /** The grade is another one again, and no event has reported that it changed. */
  const last = owed('e3', { values: { ...oslo, Grade: 'B' }, ...city }, true);
  const held = { ...bern, Grade: 'A' };

  it('need not have one of a field that had returned to the value at the receiver', () => {
    expect(checkNetChange(body('B', bern), [there, back, last], held)).toEqual([]);
  });

  it.each([
    ['that changed', [there, last], held],
    ['that returned to a value that the receiver does not hold', [there, back, last], { ...bern, Grade: 'C' }],
  ])('must have one of a field %s', (_what, events, shown) => {
    expect(checkNetChange(body('B', bern), events, shown)).toEqual(['lacks the previous value of Grade']);
  });
});
