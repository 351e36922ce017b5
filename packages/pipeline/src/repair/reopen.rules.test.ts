import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { reopen, type EndedCallout, type OpenRecord } from './reopen.rules.ts';

function ended(recordId: number, sequenceNumber: number): EndedCallout {
  const id = `callout ${sequenceNumber}`;
  return {
    id,
    tenantId: 1,
    entityType: 'Account',
    recordId,
    action: 'Update',
    sequenceNumber,
    eventId: 'e',
    traceParent: null,
    attempts: 3,
    bodyBytes: 2,
  };
}

function open(recordId: number, headSequence: number, busyUntil: Date | null = null): OpenRecord {
  return { recordId, headSequence, headId: `callout ${headSequence}`, busyUntil };
}

const statesOf = (callouts: readonly EndedCallout[], records: readonly OpenRecord[]) => {
  const { reopened, overtakenIds } = reopen(callouts, records);
  return { states: reopened.map(({ sequenceNumber, state }) => `${sequenceNumber} ${state}`), overtakenIds };
};

describe('reopen', () => {
  it('makes the first of each record due and lets the others wait, in any order of input', () => {
    expect(statesOf([ended(7, 3), ended(8, 2), ended(7, 1)], [])).toEqual({
      states: ['3 waiting', '2 due', '1 due'],
      overtakenIds: [],
    });
  });

  it('precedes a later open callout, and follows an earlier one', () => {
    expect(statesOf([ended(7, 1), ended(8, 9)], [open(7, 5), open(8, 5)])).toEqual({
      states: ['1 due', '9 waiting'],
      overtakenIds: ['callout 5'],
    });
  });

  it('waits for the lease of a later callout that is being sent', () => {
    const busyUntil = new Date('2026-01-01T00:00:30Z');
    const { reopened } = reopen([ended(7, 1), ended(7, 2)], [open(7, 5, busyUntil)]);
    expect(reopened.map(({ dueAt }) => dueAt)).toEqual([busyUntil, null]);
  });

  it('results, with the open ones, in exactly one first callout per record: the lowest number', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(numbers, fc.infiniteStream(fc.boolean()), (all, isOpen) => {
        const callouts = all.map((number) => ({ ...ended(number % 3, number), wasOpen: isOpen.next().value === true }));
        const records = [0, 1, 2].flatMap((recordId) => {
          const sorted = callouts
            .filter((one) => one.wasOpen && one.recordId === recordId)
            .map((one) => one.sequenceNumber);
          return sorted.length === 0 ? [] : [open(recordId, Math.min(...sorted))];
        });
        const { reopened, overtakenIds } = reopen(
          callouts.filter((one) => !one.wasOpen),
          records,
        );
        for (const recordId of [0, 1, 2]) {
          const ofRecord = callouts.filter((one) => one.recordId === recordId);
          const firsts = [
            ...reopened.filter((one) => one.recordId === recordId && one.state === 'due').map(({ id }) => id),
            ...records
              .filter((one) => one.recordId === recordId && !overtakenIds.includes(one.headId))
              .map((one) => one.headId),
          ];
          const lowest = Math.min(...ofRecord.map(({ sequenceNumber }) => sequenceNumber));
          expect(firsts).toEqual(ofRecord.length === 0 ? [] : [`callout ${lowest}`]);
        }
      }),
    );
  });
});
