import { describe, expect, it } from '@jest/globals';
import {
  arrived,
  asRegistered,
  aWrite,
  create,
  created,
  entry,
  problemsOf,
  remove,
  removed,
  valid,
  stored,
  update,
  updated,
  webhook,
} from './consistent-books.fixture.ts';
import { reconcile, type Books } from './reconcile.ts';

describe('reconcile', () => {
  it('has no problem when everything is consistent, and distinguishes duplicates from retries', () => {
    expect(reconcile(valid)).toEqual({ owed: 3, duplicates: 0, retries: 0, deactivations: 0, problems: [] });
    const arrivals = [{ ...created, isWelcome: false }, created, created, updated, removed];
    expect(reconcile({ ...valid, arrivals })).toEqual({
      owed: 3,
      duplicates: 1,
      retries: 1,
      deactivations: 0,
      problems: [],
    });
  });

  it('expects nothing of an event that changes nothing the webhook wants, or by a person it does not want', () => {
    const unwatched = aWrite('e4', { action: 'Create', recordId: 2, personId: 9, fields: { companyName: 'Bee' } });
    const silent = aWrite('e5', { recordId: 2, fields: { isTaxExempt: true } });
    const events = [...valid.events, stored(unwatched, 1, { recordId: 2 }), stored(silent, 2, { recordId: 2 })];
    expect(problemsOf({ events, ledger: [...valid.ledger, entry(unwatched), entry(silent)] })).toEqual([]);
  });

  const other = aWrite('e9', { fields: { city: 'Rome' } });
  const unanswered = entry(other, { outcome: 'open' });
  it.each<[what: string, change: Partial<Books>, problem: string]>([
    ['a lost callout', { arrivals: [created, removed] }, 'hook, record 1: the callout of e2 is lost'],
    ['a lost last callout', { arrivals: [created, updated] }, 'hook, record 1: the callout of e3 is lost'],
    ['a number given to nothing', { arrivals: [created, updated, arrived(4, remove, {})] }, 'number 3 is missing'],
    [
      'a number given twice',
      { arrivals: [created, arrived(1, update, {}), removed] },
      'number 2 is missing or came twice',
    ],
    ['a callout that overtook', { arrivals: [created, removed, updated] }, 'came out of the order of its record'],
    [
      'a callout of nothing',
      { arrivals: [created, updated, removed, arrived(4, other, {})] },
      'hook, record 1: nothing was owed for e9',
    ],
    [
      'an event called out twice',
      { arrivals: [created, updated, removed, arrived(4, remove, {})] },
      'hook, record 1: 4 callouts came, 3 were owed',
    ],
    [
      'a callout that never got through',
      { arrivals: [created, updated, { ...removed, isWelcome: false }] },
      'never got',
    ],
    [
      'numbers against the order of events',
      { events: [stored(update, 1), stored(create, 2), stored(remove, 3)] },
      'expected',
    ],
    [
      'an old value',
      { arrivals: [created, arrived(2, update, { CompanyName: 'Ant', City: 'Bern' }), removed] },
      'expected',
    ],
    [
      'another body under the same id',
      { arrivals: [created, updated, removed, arrived(3, remove, { City: 'Bern' })] },
      'callout callout-3 (number 3, record 1) changed its body',
    ],
    [
      'a signature by another key',
      { arrivals: [created, updated, arrived(3, remove, {}, { key: 'another secret' })] },
      'hook: callout callout-3 has no valid webhook-signature',
    ],
    ['an accepted event that is gone', { events: valid.events.slice(0, 2) }, 'e3 (taken, sent 1 ×) became 0 events'],
    ['an event stored twice', { events: [...valid.events, stored(remove, 4)] }, 'e3 (taken, sent 1 ×) became 2 events'],
    [
      'an event without a sender',
      { events: [...valid.events, stored(other, 4)] },
      'event id-e9 (e9) was sent by no client',
    ],
    [
      'a refused event that was stored',
      { events: [...valid.events, stored(other, 4)], ledger: [...valid.ledger, entry(other, { outcome: 'refused' })] },
      'e9 (refused, sent 1 ×) became 1 events, 0 at most could',
    ],
    [
      'a stored event without an answer that was not called out',
      { events: [...valid.events, stored(other, 4)], ledger: [...valid.ledger, unanswered] },
      'hook, record 1: the callout of e9 is lost',
    ],
    [
      'a hole in the versions of a record',
      { events: [stored(create, 1), stored(update, 2), stored(remove, 4)] },
      'version 4',
    ],
    [
      'an update reported to change nothing that would have',
      { ledger: [...valid.ledger, entry(other, { outcome: 'unchanged' })] },
      "e9 was answered 'unchanged' and is no event, but the record never had those values",
    ],
    [
      'an update taken for a repeat of nothing',
      { ledger: [...valid.ledger, entry(other, { outcome: 'duplicate', sent: 2 })] },
      "e9 was answered 'duplicate' and is no event, but the record never had those values",
    ],
    [
      'a deletion reported to change nothing',
      { ledger: [...valid.ledger, entry({ ...other, action: 'Delete', fields: {} }, { outcome: 'unchanged' })] },
      "e9 was answered 'unchanged' and is no event",
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(problemsOf(change)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });

  it('expects only what fulfils a condition, and what changed fields were before', () => {
    const condition = { filter: {}, holds: ({ action }: { action: string }) => action === 'Update' };
    const chapter = { ...asRegistered, webhook: { ...webhook, condition, withPrevious: true as const } };
    const chronicles = new Map([['hook', { chapters: [chapter], deactivations: 0 }]]);
    const came = arrived(1, update, { CompanyName: 'Ant', City: 'Oslo' });
    const withPrevious = (value: string) => ({ ...came, body: { ...came.body, PreviousFields: { City: value } } });
    expect(problemsOf({ chronicles, arrivals: [withPrevious('Bern')] })).toEqual([]);
    expect(problemsOf({ chronicles, arrivals: [withPrevious('Rome')] })).toEqual([expect.stringContaining('Rome')]);
    expect(problemsOf({ chronicles, arrivals: [came, arrived(2, remove, {})] })).toEqual([
      'hook, record 1: nothing was owed for e3',
    ]);
  });

  it('lets a repeat be known whether it became an event or changed nothing', () => {
    const repeated = valid.ledger.map(({ write }) => entry(write, { outcome: 'duplicate', sent: 2 }));
    const nothing = entry(aWrite('e4', { fields: { city: 'Oslo' } }), { outcome: 'duplicate', sent: 2 });
    expect(problemsOf({ ledger: [...repeated, nothing] })).toEqual([]);
  });

  it('lets a request without a response be carried out or not', () => {
    expect(problemsOf({ ledger: [...valid.ledger, unanswered] })).toEqual([]);
    const events = [...valid.events, stored(other, 4)];
    const arrivals = [...valid.arrivals, arrived(4, other, { City: 'Rome' })];
    expect(problemsOf({ ledger: [...valid.ledger, unanswered], events, arrivals })).toEqual([]);
  });

  it('lets a record write be carried out as often as it was sent, and knows it by its marker', () => {
    const post = aWrite('w1', { way: 'record', action: 'Create', recordId: null, fields: { companyName: 'Cat' } });
    const ofPost = (recordId: number) =>
      stored(post, 1, { id: `p${recordId}`, eventKey: null, recordId, marker: 'w1' });
    const cameOf = (sequenceNumber: number, recordId: number) =>
      arrived(sequenceNumber, { ...post, name: `p${recordId}`, recordId }, { CompanyName: 'Cat', City: null });
    const twice = {
      events: [...valid.events, ofPost(5), ofPost(6)],
      arrivals: [...valid.arrivals, cameOf(4, 5), cameOf(5, 6)],
    };
    expect(problemsOf({ ...twice, ledger: [...valid.ledger, entry(post, { sent: 2 })] })).toEqual([]);
    expect(problemsOf({ ...twice, ledger: [...valid.ledger, entry(post)] })).toEqual([
      'w1 (taken, sent 1 ×) became 2 events, 1 at most could',
    ]);
  });
});
