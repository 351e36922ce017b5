import { describe, expect, it } from '@jest/globals';
import { emptyFieldValues } from '@callout/domain/values/values';
import { calloutBody } from '@callout/domain/callout/callout-body';
import { markerOf, readCallout, readerFor } from './read-request.ts';

function aRequest({ url = '/7', eventId = 'run1-42' } = {}) {
  return { url, headers: { 'webhook-id': 'c1', 'x-hook-event-id': eventId } };
}

const body = Buffer.from(
  calloutBody(
    {
      action: 'Update',
      webhookGuid: '00000000-0000-4000-8000-000000000000',
      entityType: 'Account',
      recordId: 123_456,
      eventTime: new Date(0),
      sequenceNumber: 9_007_199_254_740_991,
      personId: 2_147_483_647,
    },
    Object.assign(emptyFieldValues(), { Address1: '"Id":5,"SequenceNumber":6'.repeat(50) }),
  ),
);

describe('readCallout', () => {
  it('finds everything in a real body, whatever its fields hold', () => {
    expect(readCallout(aRequest(), body)).toEqual({
      phase: 'run1',
      webhook: 7,
      event: 42,
      calloutId: 'c1',
      recordId: 123_456,
      sequenceNumber: 9_007_199_254_740_991,
    });
  });

  it.each([
    ['a path that is no webhook', aRequest({ url: '/favicon.ico' }), body],
    ['an event of another sender', aRequest({ eventId: '0191c5f0' }), body],
    ['no event', { url: '/7', headers: { 'webhook-id': 'c1' } }, body],
    ['no callout', { url: '/7', headers: { 'x-hook-event-id': 'run1-42' } }, body],
    ['another body', aRequest(), Buffer.from('{}')],
  ])('does not take %s for a callout', (_, request, body) => {
    expect(readCallout(request, body)).toBeUndefined();
  });
});

describe('readerFor', () => {
  it('takes callouts of the present phase only', () => {
    expect(readerFor({ kind: 'callout', phase: 'run1' }, 8)(aRequest(), body)).toMatchObject({ webhook: 7, event: 42 });
    expect(readerFor({ kind: 'callout', phase: 'run2' }, 8)(aRequest(), body)).toBeUndefined();
  });

  it('counts the markers of an event as its webhooks in turn, and repeats the first', () => {
    const read = readerFor({ kind: 'marker', mark: 'bench-ab' }, 2);
    const wrapped = Buffer.from(JSON.stringify({ text: `"${markerOf('bench-ab', 7)}"` }));
    const found = Array.from({ length: 3 }, () => read(aRequest(), wrapped));
    expect(found.map((one) => [one?.webhook, one?.event])).toEqual([
      [0, 7],
      [1, 7],
      [0, 7],
    ]);
    expect(read(aRequest(), Buffer.from('bench-cd-00000001'))).toBeUndefined();
  });
});
