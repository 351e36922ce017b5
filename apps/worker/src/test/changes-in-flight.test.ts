import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, type StalledCall } from '@callout/testing';
import { useStallingReceiver, useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const secretKey = 'the secret at first';
const newSecretKey = 'the secret since then';

const receiver = useStallingReceiver();
const worker = useWorker({ RETRY_SCHEDULE: '1500ms,10ms' });
let webhook: WebhookUnderTest;

beforeEach(async () => {
  webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey });
});

/** Which of the secrets made the signatures of a call, computed only by the documented rules. */
function signersOf({ headers, body }: StalledCall): { hook: string[]; standard: string[] } {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const standard = String(headers['webhook-signature']).split(' ');
  const whose = (text: string) => ({
    text,
    hook: `sha1=${createHmac('sha1', text).update(body).digest('base64')}` === headers['x-hook-signature'],
    standard: standard.includes(`v1,${createHmac('sha256', text).update(signed).update(body).digest('base64')}`),
  });
  const secrets = [secretKey, newSecretKey].map(whose);
  return {
    hook: secrets.filter(({ hook }) => hook).map(({ text }) => text),
    standard: secrets.filter((one) => one.standard).map(({ text }) => text),
  };
}

describe('while a call is under way, a webhook', () => {
  it.each([
    ['deleted', 204, 'delivered'],
    ['deleted', 500, 'cancelled'],
    ['deleted', 410, 'cancelled'],
    ['deactivated', 200, 'delivered'],
    ['deactivated', 500, 'cancelled'],
  ])('that is %s keeps its result: %s → %s; callouts waiting behind it are cancelled', async (how, status, state) => {
    await webhook.change(1, 1, 2);
    const [first, other] = [await receiver.nth(webhook.callouts, 1), await receiver.nth(webhook.callouts, 2)];
    await (how === 'deleted' ? webhook.remove() : webhook.update({ isActive: false }));
    const goodbye = await receiver.nth(webhook.deactivations, 1);
    await Promise.all([first, other].map((call) => call.answer(status)));
    await goodbye.answer(200);
    await eventually(async () => (await webhook.attempts()).length === 3);
    await webhook.allEnded();
    const states = (await webhook.stored()).map((one) => one.state);
    expect(states.toSorted()).toEqual(['cancelled', 'delivered', state, state].toSorted());
    expect(signersOf(goodbye)).toEqual({ hook: [secretKey], standard: [secretKey] });
    expect([receiver.calls(webhook.callouts).length, receiver.calls(webhook.deactivations).length]).toEqual([2, 1]);
  });

  it('that gets another URL is called there from the next attempt on', async () => {
    await webhook.change(1, 1);
    const before = await receiver.nth(webhook.callouts, 1);
    const moved = `${webhook.callouts}/moved`;
    await webhook.update({ webhookUrl: receiver.url(moved) });
    await before.answer(500);
    const retry = await receiver.nth(moved, 1);
    await retry.answer(200);
    await (await receiver.nth(moved, 2)).answer(200);
    await webhook.allEnded();
    expect(retry.headers).toMatchObject({ 'webhook-id': before.headers['webhook-id'], 'x-hook-attempt': '2' });
    expect(retry.body.equals(before.body)).toBe(true);
    expect((await webhook.attempts()).map(({ url, status }) => [url, status])).toEqual([
      [receiver.url(webhook.callouts), 500],
      [receiver.url(moved), 200],
      [receiver.url(moved), 200],
    ]);
    expect(receiver.calls(webhook.callouts)).toHaveLength(1);
  });

  it('that gets a forbidden URL is not called there', async () => {
    await webhook.change(1);
    const before = await receiver.nth(webhook.callouts, 1);
    const forbidden = receiver.url('/').replace('127.0.0.1', '127.0.0.2');
    // As if the operator had allowed less since it was written.
    await webhook.update({ webhookUrl: forbidden });
    await before.answer(500);
    await webhook.allEnded();
    expect((await webhook.attempts()).map(({ url, failureReason }) => [url, failureReason])).toEqual([
      [receiver.url(webhook.callouts), null],
      [forbidden, 'invalidTarget'],
      [forbidden, 'invalidTarget'],
    ]);
    expect(await webhook.stored()).toMatchObject([{ state: 'failed' }]);
  });

  it('that gets another secret signs only with that one from the next attempt on, at a new time', async () => {
    await webhook.change(1);
    const before = await receiver.nth(webhook.callouts, 1);
    await webhook.setSecret(newSecretKey);
    await before.answer(500);
    const retry = await receiver.nth(webhook.callouts, 2);
    await retry.answer(200);
    await webhook.allEnded();
    expect(signersOf(before)).toEqual({ hook: [secretKey], standard: [secretKey] });
    expect(signersOf(retry)).toEqual({ hook: [newSecretKey], standard: [newSecretKey] });
    expect(retry.headers['webhook-id']).toBe(before.headers['webhook-id']);
    // The wait between them, at least 1.2 s, is longer than the resolution of a timestamp, a second.
    expect(Number(retry.headers['webhook-timestamp'])).toBeGreaterThan(Number(before.headers['webhook-timestamp']));
  });

  it('whose secret is rotated signs with both during the overlap, and with the new one after it', async () => {
    await webhook.change(1);
    const before = await receiver.nth(webhook.callouts, 1);
    await webhook.rotate(newSecretKey, 1);
    await before.answer(500);
    const during = await receiver.nth(webhook.callouts, 2);
    await webhook.rotate(newSecretKey, 0);
    await during.answer(500);
    const after = await receiver.nth(webhook.callouts, 3);
    await after.answer(200);
    await webhook.allEnded();
    expect([before, during, after].map(signersOf)).toEqual([
      { hook: [secretKey], standard: [secretKey] },
      { hook: [secretKey], standard: [secretKey, newSecretKey] },
      { hook: [newSecretKey], standard: [newSecretKey] },
    ]);
    const sent = [before, during, after].map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    expect(sent).toEqual([1, 2, 1]);
  });

  it('that is deactivated and activated again delivers later callouts, and no earlier ones', async () => {
    await webhook.change(1, 1);
    const before = await receiver.nth(webhook.callouts, 1);
    await webhook.update({ isActive: false });
    await (await receiver.nth(webhook.deactivations, 1)).answer(200);
    await webhook.update({ isActive: true });
    await webhook.change(1);
    await before.answer(500);
    const after = await receiver.nth(webhook.callouts, 2);
    await after.answer(200);
    await webhook.allEnded();
    expect((await webhook.stored()).map(({ state }) => state)).toEqual([
      'cancelled',
      'cancelled',
      'delivered',
      'delivered',
    ]);
    expect(receiver.calls(webhook.callouts)).toHaveLength(2);
  });
});

describe('repeated jobs', () => {
  it('send nothing twice: neither while the call is under way nor after it has ended', async () => {
    const { producer, database } = worker;
    const eventIds = await webhook.change(1, 2, 1);
    const [first, second] = [await receiver.nth(webhook.callouts, 1), await receiver.nth(webhook.callouts, 2)];
    const wakeAgain = () => {
      for (let time = 0; time < 20; time += 1) {
        producer.enqueueEvents(eventIds);
        producer.enqueueWebhooks([webhook.webhookKey]);
      }
    };
    wakeAgain();
    // The response comes only after a later event has been matched and delivered: the jobs before it are done by then.
    await webhook.change(3);
    const later = await receiver.nth(webhook.callouts, 3);
    await Promise.all([first, second, later].map((call) => call.answer(200)));
    await (await receiver.nth(webhook.callouts, 4)).answer(200);
    await webhook.allEnded();
    wakeAgain();
    await webhook.change(4);
    await (await receiver.nth(webhook.callouts, 5)).answer(200);
    await webhook.allEnded();
    expect(receiver.calls(webhook.callouts)).toHaveLength(5);
    expect((await webhook.stored()).map(({ sequenceNumber }) => Number(sequenceNumber))).toEqual([1, 2, 3, 4, 5]);
    expect(await database.prisma.attempt.count({ where: { webhookKey: webhook.webhookKey } })).toBe(5);
  });
});
