import { describe, expect, it } from '@jest/globals';
import { isFailing, nextAttemptAt, waitsFor, type OpenCalloutStatus, type WaitingCallout } from './waits-for.rules.ts';

const now = new Date('2026-03-04T10:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

function callout(state: string, open: Partial<OpenCalloutStatus> = {}, attemptsMade = 0): WaitingCallout {
  return {
    state,
    attemptsMade,
    open: {
      dueAt: at(-60),
      leasedUntil: null,
      isDeactivated: false,
      secretKeyIds: ['k1'],
      attemptsBefore: 0,
      first: null,
      pause: null,
      now,
      ...open,
    },
  };
}

const first = {
  ...callout('due', { dueAt: at(300) }, 2),
  id: 'c3',
  sequenceNumber: 3,
  failure: 'The receiver answered 500.',
};

describe('why a callout is not delivered yet', () => {
  it('is shown for open ones alone', () => {
    const ended = { ...callout('delivered'), open: null };
    expect(waitsFor(ended)).toBeNull();
    expect(nextAttemptAt(ended)).toBeNull();
  });

  it.each<[string, WaitingCallout, object, Date | null]>([
    [
      'an earlier callout of its record',
      callout('waiting', { first }),
      {
        reason: 'earlierCallout',
        message: `Callout 3 of the same record goes first. The last attempt failed; the next one is made at ${at(300).toISOString()}. The last failure: The receiver answered 500.`,
        sequenceNumber: 3,
        cause: {
          calloutID: 'c3',
          sequenceNumber: 3,
          path: '/Callouts/c3',
          attemptsMade: 2,
          failure: 'The receiver answered 500.',
          nextAttemptDateTime: at(300).toISOString(),
          reason: 'nextAttempt',
        },
      },
      null,
    ],
    [
      'an earlier callout whose receiver is paused, which names the failure once',
      callout('waiting', {
        first: {
          ...first,
          ...callout(
            'due',
            { dueAt: at(-1), pause: { until: at(60), isProbed: false, lastFailure: 'It is down.' } },
            2,
          ),
        },
      }),
      {
        message:
          'Callout 3 of the same record goes first. The webhook is paused because its receiver is down. The last failure: It is down.',
        cause: { reason: 'receiver', nextAttemptDateTime: at(60).toISOString() },
      },
      null,
    ],
    [
      'an earlier callout that has just ended',
      callout('waiting'),
      { message: 'An earlier callout of the same record goes first.', sequenceNumber: null, cause: null },
      null,
    ],
    [
      'the threshold',
      callout('held'),
      { reason: 'threshold', message: expect.stringContaining('hourly threshold'), since: at(-60).toISOString() },
      null,
    ],
    ['the answer', callout('due', { leasedUntil: at(30) }), { reason: 'answer' }, null],
    [
      'a free slot',
      callout('due'),
      { reason: 'worker', message: expect.stringContaining('free slot'), since: at(-60).toISOString() },
      at(-60),
    ],
    [
      'its next attempt',
      callout('due', { dueAt: at(300) }, 2),
      { reason: 'nextAttempt', message: expect.stringContaining('last attempt failed'), until: at(300).toISOString() },
      at(300),
    ],
    [
      'a probe, which comes before its next attempt',
      callout('due', { dueAt: at(300), probeAt: at(60) }, 2),
      {
        reason: 'nextAttempt',
        message: `The last attempt failed; the next one is made at ${at(300).toISOString()}. Its webhook is probed at ${at(60).toISOString()}: when a call is answered with 2xx, everything that waits is sent.`,
      },
      at(300),
    ],
    [
      'its next attempt, before the next probe',
      callout('due', { dueAt: at(300), probeAt: at(400) }, 2),
      {
        reason: 'nextAttempt',
        message: `The last attempt failed; the next one is made at ${at(300).toISOString()}.`,
      },
      at(300),
    ],
    [
      'its next attempt, which a program makes that fetches it',
      callout('due', { dueAt: at(300), isPulled: true }, 2),
      {
        reason: 'nextAttempt',
        message: `The last attempt failed; it can be fetched again at ${at(300).toISOString()}.`,
      },
      at(300),
    ],
    [
      'a receiver that is down',
      callout('due', { pause: { until: at(20), isProbed: false, lastFailure: 'The receiver answered 503.' } }, 1),
      {
        reason: 'receiver',
        message: expect.stringMatching(/paused because its receiver is down. The last failure: .*503/),
        until: at(20).toISOString(),
      },
      at(20),
    ],
    [
      'a call that finds out whether the receiver is back',
      callout('due', { pause: { until: at(20), isProbed: true, lastFailure: null } }, 1),
      { reason: 'receiver', message: expect.stringContaining('one call at a time'), until: null },
      null,
    ],
    [
      'its next attempt, which is after the pause',
      callout('due', { dueAt: at(300), pause: { until: at(20), isProbed: false, lastFailure: null } }, 1),
      { reason: 'nextAttempt', until: at(300).toISOString() },
      at(300),
    ],
    [
      'its rate',
      callout('due', { limits: { rate: { perSecond: 0.1, nextCallAt: at(4) }, places: null } }),
      { reason: 'rate', message: expect.stringContaining(`from ${at(4).toISOString()}`), since: at(-60).toISOString() },
      null,
    ],
    [
      'its rate, though a call may begin at this moment',
      callout('due', { limits: { rate: { perSecond: 1, nextCallAt: at(-1) }, places: null } }),
      { reason: 'rate', message: expect.stringContaining('allows 1 call per second (maxCallsPerSecond). The') },
      null,
    ],
    [
      'a worker, where the rate has allowed a call for long',
      callout('due', { limits: { rate: { perSecond: 1, nextCallAt: at(-5) }, places: { most: 2, underWay: 1 } } }),
      { reason: 'worker' },
      at(-60),
    ],
    [
      'the end of one of the calls that its webhook allows at once',
      callout('due', { limits: { rate: null, places: { most: 2, underWay: 2 } } }),
      { reason: 'rate', message: expect.stringContaining('all 2 calls') },
      null,
    ],
    [
      'its next attempt, whatever its rate',
      callout('due', { dueAt: at(300), limits: { rate: { perSecond: 1, nextCallAt: at(1) }, places: null } }, 2),
      { reason: 'nextAttempt' },
      at(300),
    ],
    ...(['waiting', 'held', 'due'] as const).map((state): [string, WaitingCallout, object, null] => [
      `its cancellation, though it was ${state}, since its webhook is inactive`,
      callout(state, { isDeactivated: true, first }),
      { reason: 'cancellation', message: expect.stringContaining('inactive or deleted'), sequenceNumber: null },
      null,
    ]),
    [
      'the answer, when its webhook was deactivated meanwhile',
      callout('due', { isDeactivated: true, leasedUntil: at(30) }),
      { reason: 'answer' },
      null,
    ],
    [
      'a slot, after a redelivery, whatever its attempts before',
      callout('due', { attemptsBefore: 9, dueAt: at(5) }, 9),
      { reason: 'nextAttempt', message: `It becomes due at ${at(5).toISOString()}.` },
      at(5),
    ],
  ])('is %s', (_, open, expected, next) => {
    expect(waitsFor(open)).toMatchObject(expected);
    expect(nextAttemptAt(open)).toEqual(next);
  });
});

describe('a callout whose webhook has a secret that cannot be read', () => {
  it('waits for the key, also while a worker tries and fails, and not where the ring is not known', () => {
    const expected = { reason: 'secretKey', message: expect.stringMatching(/\(k1\): its operator must add the key/) };
    for (const open of [{}, { leasedUntil: at(30) }, { dueAt: at(300) }]) {
      expect(waitsFor(callout('due', open), ['k2'])).toMatchObject(expected);
      expect(waitsFor(callout('due', open), ['k2', 'k1'])).not.toMatchObject({ reason: 'secretKey' });
      expect(waitsFor(callout('due', open))).not.toMatchObject({ reason: 'secretKey' });
    }
    expect(waitsFor(callout('held'), ['k2'])).toMatchObject({ reason: 'threshold' });
  });
});

describe('a failing callout', () => {
  it('is open, and an attempt failed since it was last redelivered', () => {
    expect(isFailing(callout('due', {}, 0))).toBe(false);
    expect(isFailing(callout('due', {}, 2))).toBe(true);
    expect(isFailing(callout('due', { attemptsBefore: 2 }, 2))).toBe(false);
    expect(isFailing({ state: 'failed', attemptsMade: 2, open: null })).toBe(false);
  });
});
