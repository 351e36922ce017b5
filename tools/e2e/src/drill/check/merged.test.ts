import { describe, expect, it } from '@jest/globals';
import type { Arrival } from '../receivers/arrivals.ts';
import {
  arrived,
  aWrite,
  create,
  created,
  entry,
  problemsOf,
  remove,
  removed,
  stored,
  update,
  updated,
  valid,
  webhook,
} from './consistent-books.fixture.ts';
import type { Books } from './reconcile.ts';
import type { Write } from '../traffic/writes.ts';

const chapter = valid.chronicles.get('hook')?.chapters[0];
const chronicles: Books['chronicles'] = new Map([
  ['hook', { chapters: chapter ? [{ ...chapter, webhook: { ...webhook, merges: true } }] : [], deactivations: 0 }],
]);
const row = (eventId: string, sequenceNumber: number, end: 'carried' | 'undone' | 'cancelled' = 'carried') => ({
  webhook: 'hook',
  eventId,
  sequenceNumber,
  carrierId: 'callout-1',
  end,
});
const carrying = (arrival: Arrival, ...ids: string[]): Arrival => ({
  ...arrival,
  body: { ...arrival.body, MergedEventIDs: ids },
});
/** The update was merged into the create. */
const carrier = carrying(
  arrived(1, { ...update, name: 'e1', action: 'Create' }, { CompanyName: 'Ant', City: 'Oslo' }),
  'e1',
  'e2',
);

describe('reconcile, of a webhook that merges', () => {
  it('has no problem when each change came, merged or not, or nothing was left of it', () => {
    expect(problemsOf({ chronicles })).toEqual([]);
    expect(problemsOf({ chronicles, arrivals: [carrier, removed], merged: [row('e2', 2)] })).toEqual([]);
    const merged = [row('e1', 1, 'undone'), row('e2', 2, 'undone'), row('e3', 3, 'undone')];
    expect(problemsOf({ chronicles, arrivals: [], merged })).toEqual([]);
  });

  it.each<[what: string, change: Partial<Books>, problem: string]>([
    ['a lost change', { arrivals: [created, removed], merged: [row('e2', 2)] }, 'the change of e2 is lost'],
    ['a lost number', { arrivals: [carrier, removed] }, 'sequence number 2 is missing'],
    [
      'a merged callout that came',
      { arrivals: [carrier, updated, removed], merged: [row('e2', 2)] },
      '2 was merged, and came',
    ],
    [
      'an older value',
      { arrivals: [created, carrying(arrived(2, update, { City: 'Bern' }), 'e2', 'e3')], merged: [row('e3', 3)] },
      'ended as',
    ],
    [
      'merged events out of order',
      { arrivals: [carrying(carrier, 'e2', 'e1'), removed], merged: [row('e2', 2)] },
      'got e2, e1 in one callout, of e1',
    ],
    [
      'a field that a merged callout leaves out',
      {
        arrivals: [
          carrying(arrived(1, { ...update, name: 'e1', action: 'Create' }, { CompanyName: 'Ant' }), 'e1', 'e2'),
          removed,
        ],
        merged: [row('e2', 2)],
      },
      'got 1, which shows',
    ],
    [
      'changes that did not undo each other',
      { arrivals: [created], merged: [row('e2', 2, 'undone'), row('e3', 3, 'undone')] },
      'was not shown what was left of 2',
    ],
    [
      'a cancellation without a cause',
      { arrivals: [created, updated], merged: [row('e3', 3, 'cancelled')] },
      'for nothing',
    ],
    ['a deletion that was overtaken', { arrivals: [removed, created, updated] }, 'came out of order'],
    [
      'merged events of nothing',
      { arrivals: [created, updated, carrying(arrived(3, remove, {}), 'e3', 'e9')] },
      'nothing was owed for e9',
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(problemsOf({ chronicles, ...change })).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });

  it('finds merged callouts of a webhook that does not merge', () => {
    expect(problemsOf({ merged: [row('e9', 4)] })).toEqual(['hook does not merge, but 1 were merged']);
  });
});

describe('reconcile, of a webhook that merges and does not want the changes of a person', () => {
  const unwanted = (name: string, change: Partial<Write>) => aWrite(name, { ...change, personId: 9 });
  const books = (writes: readonly Write[]): Partial<Books> => ({
    chronicles,
    ledger: writes.map((write) => entry(write)),
    events: writes.map((write, nth) => stored(write, nth + 1)),
  });

  describe('while its record is deleted and begins anew', () => {
    const rename = (name: string, companyName: string) => aWrite(name, { fields: { companyName } });
    const begun = [
      ...[create, update, unwanted('e3', { action: 'Delete' })],
      ...[unwanted('e4', { action: 'Create', fields: { companyName: 'Ant' } }), rename('e5', 'Bee')],
    ];
    const merged = [row('e2', 2, 'undone'), row('e5', 3, 'undone'), row('e6', 4, 'undone')].map((one) => ({
      ...one,
      carrierId: 'callout-2',
    }));

    it('has no problem when nothing is left of what is known', () => {
      const renamedBack = [...begun, rename('e6', 'Ant')];
      expect(problemsOf({ ...books(renamedBack), arrivals: [created], merged })).toEqual([]);
    });

    it('finds what is left of it', () => {
      const left = ['hook: record 1 was not shown what was left of 2'];
      const renamed = [...begun, rename('e6', 'Cat')];
      expect(problemsOf({ ...books(renamed), arrivals: [created], merged })).toEqual(expect.arrayContaining(left));
      const moved = [...begun, aWrite('e6', { fields: { companyName: 'Ant', city: 'Rome' } })];
      expect(problemsOf({ ...books(moved), arrivals: [created], merged })).toEqual(expect.arrayContaining(left));
    });
  });

  it('wants the newest value of a field, also where that was changed without a callout', () => {
    const moved = unwanted('e3', { fields: { city: 'Rome' } });
    const renamed = aWrite('e4', { fields: { companyName: 'Bee' } });
    const problemsWith = (city: string) => {
      const carried = carrying(arrived(2, { ...renamed, name: 'e2' }, { CompanyName: 'Bee', City: city }), 'e2', 'e4');
      const arrivals = [created, carried];
      return problemsOf({ ...books([create, update, moved, renamed]), arrivals, merged: [row('e4', 3)] });
    };
    expect(problemsWith('Rome')).toEqual([]);
    expect(problemsWith('Bern')).toEqual([
      'hook: record 1 got 2, which shows City as Bern, not as Rome',
      'hook: record 1 ended as Bern in City, not as Oslo',
    ]);
  });
});
