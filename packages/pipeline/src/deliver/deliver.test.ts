import { loggedHeaders, prepareSecret } from './sign.rules.ts';
import { describe, expect, it } from '@jest/globals';
import { retrySchedules } from '../settle/retry.rules.ts';
import type { AnsweredOutcome, AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { Settlement } from '../settle/settlement.rules.ts';
import { createLogger } from '@callout/runtime/log/logger';
import { deliver, type DeliverDeps } from './deliver.ts';
import type { CallResult } from './engine/lane-limits.ts';
import type { LeasedCallout } from './claim.ts';
import type { CallCredentials, OAuth2 } from './receiver/call-credentials.rules.ts';
import type { Target } from './targets.ts';

const callout: LeasedCallout = {
  id: '0199a3f0-0000-7000-8000-000000000001',
  tenantId: 1,
  webhookKey: 7,
  webhookVersion: 3,
  entityType: 'Account',
  recordId: 5,
  sequenceNumber: 12,
  kind: 'event',
  action: 'Update',
  eventId: 'their-event',
  attemptsMade: 0,
  attemptsBefore: 0,
  isRedelivery: false,
  countedAt: null,
  acceptedAt: null,
  traceParent: null,
  leaseOwner: 'lease',
  leaseEndsAtMs: 30_000,
  body: '{"Action":"Update"}',
};

const target: Target = {
  webhookVersion: 3,
  url: 'https://hooks.example.com/in',
  deactivationUrl: 'https://hooks.example.com/off',
  mergesWhileWaiting: false,
  signingKeys: { hmac: { current: prepareSecret('a secret key of a webhook') } },
};

function answered(status: number, headers: Record<string, string> = {}): AnsweredOutcome {
  return { kind: 'answered', status, headers, body: Buffer.from('answer'), bodyCut: null, durationMs: 12.4 };
}

/** Delivers one callout to a receiver that responds as configured. */
async function deliverOnce(
  change: Partial<LeasedCallout>,
  outcome: AttemptOutcome | Error,
  deps: Partial<DeliverDeps> = {},
) {
  const requests: { url: string; headers: Record<string, string>; body: Buffer }[] = [];
  const reschedules: number[] = [];
  const notMade: string[] = [];
  const answers: CallResult[] = [];
  const settled: Settlement[] = [];
  await deliver(
    {
      targetOf: async () => target,
      send: async (request) => {
        requests.push(request);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      tokenFor: () => Promise.reject(new Error('no token is needed')),
      reschedule: async (_callout, waitMs) => void reschedules.push(waitMs),
      fixBody: async (one) => one,
      schedule: retrySchedules.classic,
      userAgent: 'Callout/1.0',
      random: () => 0.5,
      nowMs: () => 0,
      isClockRight: () => true,
      leaseMs: 60_000,
      callTimeoutMs: 10_000,
      results: {
        async add(settlement) {
          expect(answers).toEqual([]);
          settled.push(settlement);
        },
        hurry: () => undefined,
      },
      metrics: { onCall: () => undefined, onNotMade: (reason) => void notMade.push(reason) },
      log: createLogger({ service: 'test', level: 'silent' }),
      ...deps,
    },
    { ...callout, ...change },
    (answer) => answers.push(answer),
  );
  const [settlement = null] = settled;
  return { request: requests[0], settlement, reschedules, notMade, answers };
}

describe('an attempt', () => {
  it('of a callout that was claimed before its webhook ceased to merge has the bytes that are stored', async () => {
    const { request } = await deliverOnce({ webhookVersion: 2 }, answered(204), {
      fixBody: async (one) => ({ ...one, body: '{"Action":"Update","more":true}' }),
    });
    expect(request?.body.toString()).toBe('{"Action":"Update","more":true}');
  });

  it('of an event is sent to the webhookUrl, with the headers that identify it', async () => {
    const { request, settlement, answers } = await deliverOnce({ attemptsMade: 2 }, answered(204));
    expect(request).toMatchObject({
      url: 'https://hooks.example.com/in',
      headers: {
        'webhook-id': callout.id,
        'X-Hook-Attempt': '3',
        'X-Hook-Callout-Type': 'PATCH',
        'X-Hook-Event-Id': 'their-event',
      },
    });
    expect(request?.headers).not.toHaveProperty('X-Hook-Test');
    expect(settlement).toMatchObject({
      signal: 'delivered',
      problem: null,
      next: { kind: 'ended', state: 'delivered' },
      attempt: { number: 3, status: 204, url: 'https://hooks.example.com/in', durationMs: 12 },
    });
    expect(answers).toEqual([{ signal: 'delivered', durationMs: 12 }]);
  });

  it('of a deactivation call is sent to the deactivationUrl, without callout type and event id', async () => {
    const { request } = await deliverOnce(
      { kind: 'deactivation', action: 'Deactivated', eventId: null },
      answered(200),
    );
    expect(request?.url).toBe('https://hooks.example.com/off');
    expect(Object.keys(request?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/callout-type|event-id/iu)]),
    );
  });

  it('of a test is marked as a test, and is the only one', async () => {
    const { request, settlement } = await deliverOnce({ kind: 'test', eventId: null }, answered(500));
    expect(request?.headers).toMatchObject({ 'X-Hook-Test': 'true' });
    expect(settlement?.next).toEqual({ kind: 'ended', state: 'failed', isGone: false });
  });

  it('that failed is followed by another, and the last by none', async () => {
    const first = await deliverOnce({}, answered(500));
    expect(first.settlement).toMatchObject({
      signal: 'down',
      problem: 'The receiver answered 500: it failed. See the log of the receiver.',
      next: { kind: 'retry' },
    });
    const last = await deliverOnce({ attemptsMade: 4 }, answered(404));
    expect(last.settlement).toMatchObject({
      signal: 'rejected',
      next: { kind: 'ended', state: 'failed', isGone: false },
    });
  });

  it('of a redelivery starts the whole schedule again', async () => {
    const first = await deliverOnce({ attemptsMade: 5, attemptsBefore: 5 }, answered(500));
    expect(first.settlement).toMatchObject({ attempt: { number: 6 }, next: { kind: 'retry' } });
    const last = await deliverOnce({ attemptsMade: 9, attemptsBefore: 5 }, answered(500));
    expect(last.settlement?.next).toMatchObject({ kind: 'ended', state: 'failed' });
  });

  it('that is answered 200 with a body that never ends counts as delivered, and the log mentions it', async () => {
    const outcome: AttemptOutcome = { ...answered(200), bodyCut: 'time' };
    const { settlement } = await deliverOnce({}, outcome);
    expect(settlement).toMatchObject({
      problem: null,
      next: { kind: 'ended', state: 'delivered' },
      attempt: { status: 200, failureReason: null, failure: expect.stringContaining('had not ended 2 s after') },
    });
  });

  it('that is answered 410 is the last', async () => {
    const { settlement } = await deliverOnce({}, answered(410));
    expect(settlement?.next).toEqual({ kind: 'ended', state: 'failed', isGone: true });
  });

  it.each([301, 302, 303, 307, 308])('that is redirected by %d fails with the location', async (status) => {
    const { settlement } = await deliverOnce({}, answered(status, { location: 'http://10.0.0.1/' }));
    expect(settlement?.problem).toBe(
      `The receiver answered ${status} with the location http://10.0.0.1/, and redirects are not followed. Use the final address as the URL.`,
    );
  });

  it.each(['busy', 'aborted'] as const)(
    'that could not be made (%s) does not count: it is rescheduled',
    async (reason) => {
      const { settlement, reschedules, answers } = await deliverOnce(
        {},
        { kind: 'failed', reason, message: 'not asked', durationMs: 5_000 },
      );
      expect(settlement).toBeNull();
      expect(reschedules).toEqual([1_000]);
      expect(answers).toEqual([]);
    },
  );

  it.each([
    ['has half of its time left', 30_000, 1],
    ['has less, so that it could end before it is renewed', 29_999, 0],
    ['has ended', -1, 0],
  ])('is made only under a lease with time left: one that %s', async (_what, leftMs, requestsMade) => {
    const nowMs = 5_000;
    const { request, reschedules, answers } = await deliverOnce({ leaseEndsAtMs: nowMs + leftMs }, answered(200), {
      nowMs: () => nowMs,
      leaseMs: 60_000,
      callTimeoutMs: 10_000,
    });
    expect(request === undefined ? 0 : 1).toBe(requestsMade);
    // Rescheduled at once, to be sent under another lease.
    expect(reschedules).toEqual(requestsMade === 1 ? [] : [0]);
    expect(answers).toHaveLength(requestsMade);
  });

  it('whose code fails is logged, and the lease of the callout runs out', async () => {
    const lines: string[] = [];
    const log = createLogger({
      service: 'test',
      level: 'error',
      destination: { write: (line) => void lines.push(line) },
    });
    const { settlement, reschedules, answers } = await deliverOnce({}, new Error('ours'), { log });
    expect({ settlement, reschedules, answers }).toEqual({ settlement: null, reschedules: [], answers: [] });
    expect(lines.join()).toContain('ours');
  });

  it.each([
    ['a result that ends a callout as failed', { attemptsMade: 4 }, 500, 1],
    ['the result of a test', { kind: 'test' as const, eventId: null }, 204, 1],
    ['any other result', {}, 204, 0],
  ])('hurries %s', async (_what, change, status, times) => {
    let hurries = 0;
    const results = { add: async () => undefined, hurry: () => void (hurries += 1) };
    await deliverOnce(change, answered(status), { results });
    expect(hurries).toBe(times);
  });

  it('is not made, and nothing is signed, while the clock is wrong', async () => {
    const { request, reschedules, notMade } = await deliverOnce({}, answered(200), { isClockRight: () => false });
    expect({ request, reschedules, notMade }).toEqual({
      request: undefined,
      reschedules: [1_000],
      notMade: ['clockWrong'],
    });
  });

  it.each([
    ['is given back', true, 401, { requests: 0, notMade: ['rateElapsed'] }],
    ['is made in time', true, 400, { requests: 1, notMade: [] }],
    ['is made where no rate is to be kept', false, 401, { requests: 1, notMade: [] }],
  ])('that counts for a rate and was claimed a while ago %s', async (_, isRated, afterMs, expected) => {
    const nowMs = 1_000_000;
    const leaseEndsAtMs = nowMs - afterMs + 60_000;
    const { request, notMade } = await deliverOnce({ isRated, leaseEndsAtMs }, answered(200), { nowMs: () => nowMs });
    expect({ requests: request === undefined ? 0 : 1, notMade }).toEqual(expected);
  });

  it.each([
    ['is given back when it had to wait for a token that lasts', 3_600, 0],
    ['is made with a token that it could not use later', 1, 1],
  ])('that counts for a rate %s', async (_what, lifetimeS, requestsMade) => {
    let nowMs = 0;
    const oauth2: CallCredentials['oauth2'] = { authId: 'a', auth: {} as OAuth2, tls: undefined };
    const credentials = { headers: {}, loggedHeaders: {}, tls: undefined, oauth2, routingKey: undefined, secrets: [] };
    const owner = { webhookKey: 7, tenantId: 1, webhookGuid: 'g' };
    const { request, notMade } = await deliverOnce({ isRated: true, leaseEndsAtMs: 60_000 }, answered(200), {
      nowMs: () => nowMs,
      tokenFor: async () => {
        nowMs += 3_000;
        return { kind: 'token', id: 't', token: 'a-token', isLasting: lifetimeS > 5 };
      },
      targetOf: async () => ({ ...target, credentials: { owner, credentials, isForDeactivation: true } }),
    });
    expect(request === undefined ? 0 : 1).toBe(requestsMade);
    expect(notMade).toEqual(requestsMade === 1 ? [] : ['rateElapsed']);
  });

  it('that cannot be signed is rescheduled: the receiver was not asked, so nothing is counted', async () => {
    const { settlement, reschedules, answers } = await deliverOnce({}, answered(204), {
      targetOf: () => Promise.reject(new Error('the key ring lacks its key')),
    });
    expect(settlement).toBeNull();
    expect(reschedules).toEqual([30_000]);
    expect(answers).toEqual([]);
  });

  it('is logged without the signatures that were sent', async () => {
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const kinds: Partial<LeasedCallout>[] = [
      { eventId: 'an event' },
      { eventId: 'an event', action: 'Delete', attemptsMade: 4, traceParent },
      { kind: 'deactivation', action: 'Deactivated', eventId: null },
      { kind: 'test', eventId: null },
    ];
    for (const change of kinds) {
      const { request, settlement } = await deliverOnce(change, answered(200));
      const stored = JSON.parse(settlement?.attempt.requestHeaders ?? '{}') as Record<string, string>;
      const { number = 0, startedAt = new Date(0) } = settlement?.attempt ?? {};
      const logged = loggedHeaders({ ...callout, ...change }, { number, startedAt }, stored);
      const sent = request?.headers ?? {};
      expect(Object.keys(logged)).toEqual(Object.keys(sent));
      expect(logged).toEqual({ ...sent, 'X-Hook-Signature': '<redacted>', 'webhook-signature': '<redacted>' });
      // What callout and attempt say is not stored again with each attempt.
      expect(Object.keys(stored).filter((name) => name !== 'traceparent')).toEqual(['User-Agent']);
    }
  });
});
