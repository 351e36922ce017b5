import { describe, expect, it } from '@jest/globals';
import type { Arrival } from '../receivers/arrivals.ts';
import {
  arrived,
  asRegistered,
  aWrite,
  created,
  entry,
  problemsOf,
  remove,
  removed,
  valid,
  stored,
  updated,
  webhook,
} from './consistent-books.fixture.ts';
import { reconcile, type Books } from './reconcile.ts';

describe('reconcile, of a webhook that was deactivated and activated again', () => {
  const isInactive = {
    fromVersion: 3,
    webhook: { ...webhook, isActive: false },
    isDeleted: false,
    activatedAt: new Date(0),
  };
  const isBack = { fromVersion: 4, webhook, isDeleted: false, activatedAt: new Date(5000) };
  const chronicles = new Map([['hook', { chapters: [asRegistered, isInactive, isBack], deactivations: 1 }]]);
  /** The receiver's deactivation call. */
  const deactivationCall = (sequenceNumber: number): Arrival => {
    const call = arrived(sequenceNumber, { ...remove, name: '' }, {}, { id: `deactivated-${sequenceNumber}` });
    return { ...call, body: { ...call.body, Action: 'Deactivated', Id: 1, PersonID: 7 } };
  };
  const cancelled = [{ webhook: 'hook', eventId: 'e3', sequenceNumber: 3 }];
  const books = { chronicles, cancelled, arrivals: [created, updated, deactivationCall(4)] };

  it('has no problem when all missing callouts were cancelled, and each deactivation call came', () => {
    expect(reconcile({ ...valid, ...books })).toMatchObject({ deactivations: 1, problems: [] });
    expect(problemsOf({ ...books, arrivals: [created, updated, deactivationCall(4), removed] })).toEqual([]);
  });

  const later = aWrite('e9', { fields: { city: 'Rome' } });
  const judgedAt = (version: number, acceptedAt = new Date(6000)) => ({
    ledger: [...valid.ledger, entry(later)],
    events: [...valid.events, stored(later, 4, { judgedAt: new Map([['hook', version]]), acceptedAt })],
  });

  it('expects nothing for what was judged while it was inactive, or accepted before it was active again', () => {
    expect(problemsOf({ ...books, ...judgedAt(3) })).toEqual([]);
    expect(problemsOf({ ...books, ...judgedAt(4, new Date(4999)) })).toEqual([]);
  });

  it.each<[what: string, change: Partial<Books>, problem: string]>([
    [
      'a deactivation without its call',
      { ...books, arrivals: [created, updated] },
      '0 deactivations were notified, 1 were done',
    ],
    [
      'one with two calls',
      { ...books, arrivals: [...books.arrivals, deactivationCall(5)] },
      '2 deactivations were notified, 1 were done',
    ],
    [
      'one without a number',
      { ...books, arrivals: [created, updated, deactivationCall(5)] },
      'sequence number 4 is missing',
    ],
    ['one by another resource', { ...books, meddlerId: 8 }, 'was done by 7'],
    ['a lost callout of an event after it was back', { ...books, ...judgedAt(4) }, 'the callout of e9 is lost'],
    [
      'a callout that was cancelled without a deactivation',
      { ...books, chronicles: valid.chronicles, arrivals: [created, updated] },
      'the callout of e3 was cancelled for nothing',
    ],
    [
      'a cancelled callout with another body',
      { ...books, arrivals: [...books.arrivals, arrived(3, remove, { City: 'Bern' })] },
      'expected',
    ],
    [
      'an event without a verdict',
      { ...books, events: [...valid.events.slice(0, 2), stored(remove, 3, { judgedAt: new Map() })] },
      'hook: there is no verdict on e3',
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(problemsOf(change)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });
});
