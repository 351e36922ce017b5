import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Callout, Payload } from '../verify/callout.ts';
import { createMemoryOrderStore } from './order.ts';
import type { ReceivedCallout } from './handling.ts';
import { createReceiver, type ReceiverOptions } from './receiver.ts';
import { createMemoryRepeatStore } from './repeats.ts';
import { RetryLater } from './retry-later.ts';
import { payload, SECRET, sentBody, sentCallout, type SentCallout } from '../verify/signed-callout.fixture.ts';

/** A receiver that keeps what it receives. */
function receiverUnderTest(options: Partial<ReceiverOptions> = {}) {
  const handled: ReceivedCallout[] = [];
  const errors: unknown[] = [];
  const receiver = createReceiver({
    secrets: SECRET,
    onCallout: (callout) => handled.push(callout),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { handled, errors, receive: async ({ body, headers }: SentCallout) => receiver.receive(body, headers) };
}

/** Something that a test ends when it wants to. */
function held() {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { until, release };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('createReceiver', () => {
  it('hands over a callout and answers that it was received', async () => {
    const { receive, handled } = receiverUnderTest();
    const answer = await receive(sentCallout());
    expect(answer).toMatchObject({ status: 200, body: '{"received":true}' });
    expect(handled).toMatchObject([{ payload, newest: payload.Fields }]);
  });

  it('answers 400 to a body that validate refuses, and does not hand it over', async () => {
    const validate = (body: unknown) => (body as Payload).SequenceNumber < 8;
    const { receive, handled, errors } = receiverUnderTest({ validate });
    expect(await receive(sentCallout({ SequenceNumber: 8 }))).toMatchObject({
      status: 400,
      body: expect.stringContaining('"error":"unexpected_body"'),
    });
    expect([handled, errors]).toMatchObject([[], [{ code: 'unexpected_body' }]]);
    expect(await receive(sentCallout({ SequenceNumber: 7 }))).toMatchObject({ status: 200 });
    expect(handled).toHaveLength(1);
    // What nobody signed is not looked at.
    const forged = sentCallout({ SequenceNumber: 8 }, { secret: 'a different secret' });
    expect(await receive(forged)).toMatchObject({ status: 401 });
  });

  it('handles a callout once, whatever its attempt', async () => {
    const { receive, handled } = receiverUnderTest();
    await receive(sentCallout({}, { id: 'one' }));
    const answer = await receive(sentCallout({}, { id: 'one', attempt: 2 }));
    expect(answer).toMatchObject({ status: 200, body: '{"received":true,"repeat":true}' });
    expect(handled).toHaveLength(1);
  });

  it('asks for a callout again that another request is handling', async () => {
    const { until, release } = held();
    const begun = held();
    const { receive } = receiverUnderTest({
      onCallout: () => {
        begun.release();
        return until;
      },
    });
    const first = receive(sentCallout({}, { id: 'one' }));
    await begun.until;
    const second = await receive(sentCallout({}, { id: 'one', attempt: 2 }));
    expect(second.status).toBe(503);
    // By the retry schedule: a time of its own, each time, would use up all attempts within minutes.
    expect(second.headers).not.toHaveProperty('retry-after');
    release();
    expect((await first).status).toBe(200);
    expect((await receive(sentCallout({}, { id: 'one', attempt: 3 }))).body).toContain('"repeat":true');
  });

  it('answers 500 when the handler fails, keeps the cause to itself, and handles the next attempt', async () => {
    let calls = 0;
    const { receive, errors } = receiverUnderTest({
      onCallout: () => {
        calls += 1;
        if (calls === 1) throw new Error('password=hunter2');
      },
    });
    const answer = await receive(sentCallout({}, { id: 'one' }));
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('hunter2');
    expect(errors).toEqual([new Error('password=hunter2')]);
    expect((await receive(sentCallout({}, { id: 'one', attempt: 2 }))).status).toBe(200);
    expect(calls).toBe(2);
  });

  it('lets the handler say when to come again', async () => {
    const { receive } = receiverUnderTest({
      onCallout: () => {
        throw new RetryLater(90);
      },
    });
    expect(await receive(sentCallout())).toMatchObject({ status: 503, headers: { 'retry-after': '90' } });
    expect(() => new RetryLater(0)).toThrow(RangeError);
  });

  it('answers first where it is configured to, and handles the next attempt of what failed then', async () => {
    const { until, release } = held();
    const { receive, errors } = receiverUnderTest({
      answer: 'before-handler',
      onCallout: async () => {
        await until;
        throw new Error('too late');
      },
    });
    expect((await receive(sentCallout({}, { id: 'one' }))).status).toBe(202);
    expect((await receive(sentCallout({}, { id: 'one' }))).status).toBe(503);
    expect(errors).toEqual([]);
    release();
    await new Promise(setImmediate);
    expect(errors).toEqual([new Error('too late')]);
    expect((await receive(sentCallout({}, { id: 'one' }))).status).toBe(202);
  });

  it('keeps the runtime alive until the work is done', async () => {
    const work: Promise<unknown>[] = [];
    let isDone = false;
    const receiver = createReceiver({
      secrets: SECRET,
      answer: 'before-handler',
      onCallout: async () => {
        await new Promise(setImmediate);
        isDone = true;
      },
    });
    const { body, headers } = sentCallout();
    await receiver.receive(body, headers, { waitUntil: (promise) => work.push(promise) });
    expect(isDone).toBe(false);
    await Promise.all(work);
    expect(isDone).toBe(true);
  });

  it('refuses what is not signed, and reports what was wrong', async () => {
    const { receive, handled, errors } = receiverUnderTest();
    const answer = await receive(sentCallout({}, { secret: 'another' }));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'wrong_signature' });
    expect(handled).toEqual([]);
    expect(errors).toMatchObject([{ code: 'wrong_signature' }]);
  });

  it('answers 500 where no secret is set, and says so to onError', async () => {
    const { receive, errors } = receiverUnderTest({ secrets: '' });
    expect((await receive(sentCallout())).status).toBe(500);
    expect(String(errors[0])).toContain('is its variable set?');
  });

  it('finds the secret by the webhook', async () => {
    const asked: string[] = [];
    const { receive } = receiverUnderTest({
      secrets: async (guid) => {
        asked.push(guid);
        return guid === payload.Guid ? SECRET : 'another';
      },
    });
    expect((await receive(sentCallout())).status).toBe(200);
    expect((await receive(sentCallout({ Guid: 'unknown' }))).status).toBe(401);
    expect((await receive(sentBody('no JSON'))).status).toBe(400);
    expect(asked).toEqual([payload.Guid, 'unknown']);
  });

  it('gives tests and deactivation calls to their own handlers', async () => {
    const calls: [string, Callout][] = [];
    const { receive, handled } = receiverUnderTest({
      onTest: (callout) => calls.push(['test', callout]),
      onDeactivated: (callout) => calls.push(['deactivated', callout]),
    });
    const test = await receive(sentCallout({ Id: 0, SequenceNumber: 0 }));
    const deactivated = await receive(sentCallout({ Action: 'Deactivated', Fields: {} }));
    expect([test.status, deactivated.status]).toEqual([200, 200]);
    expect(calls.map(([name]) => name)).toEqual(['test', 'deactivated']);
    expect(handled).toEqual([]);
  });

  it('answers 500 while the store of repeats is away, so that the callout comes again', async () => {
    const repeats = createMemoryRepeatStore();
    const { receive, handled } = receiverUnderTest({
      repeats: { ...repeats, begin: async () => Promise.reject(new Error('Redis is away')) },
    });
    expect((await receive(sentCallout())).status).toBe(500);
    expect(handled).toEqual([]);
  });

  it('says which values are the newest when an older callout comes late', async () => {
    const { receive, handled } = receiverUnderTest({ order: createMemoryOrderStore() });
    await receive(sentCallout({ SequenceNumber: 6, Fields: { Phone: 'new' } }));
    await receive(sentCallout({ SequenceNumber: 5, Fields: { Phone: 'old', City: 'Graz' } }));
    expect(handled.map(({ newest }) => newest)).toEqual([{ Phone: 'new' }, { City: 'Graz' }]);
    expect(handled[1]?.payload.Fields).toEqual({ Phone: 'old', City: 'Graz' });
  });

  it('takes a repeated callout without webhook-id by X-Hook-Signature as a new one', async () => {
    const { receive, handled } = receiverUnderTest({ signature: 'x-hook-signature' });
    const { body, headers } = sentCallout();
    const { 'webhook-id': _absent, ...rest } = headers;
    await receive({ body, headers: rest });
    await receive({ body, headers: rest });
    expect(handled).toHaveLength(2);
  });

  it('answers also when the log fails', async () => {
    const consoleError = jest.spyOn(console, 'error').mockReturnValue();
    const { receive } = receiverUnderTest({
      onError: () => {
        throw new Error('the log is full');
      },
    });
    expect((await receive(sentCallout({}, { secret: 'another' }))).status).toBe(401);
    expect(consoleError).toHaveBeenCalledWith(new Error('the log is full'), expect.anything());
  });
});
