import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@callout/domain/fixtures/any-character';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { readBodies } from '@callout/pipeline/payload/callout-bodies';
import { anEvent, values } from '@callout/database/fixtures/tenant';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { StalledCall } from '@callout/testing';
import { useStallingReceiver, useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const secretKey = 'a secret with ümlaut & 8 symbols';

const receiver = useStallingReceiver();
const worker = useWorker({ RETRY_SCHEDULE: '10ms' });
let webhook: WebhookUnderTest;
let commit: ReturnType<typeof createIngestCommit>;
let came = 0;

beforeAll(async () => {
  commit = createIngestCommit(worker.database.pool);
  webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey });
});

/** The body of a callout as every later attempt, the log and the export read it. */
async function storedBody(id: string): Promise<Buffer> {
  const bodies = await readBodies(worker.database.pool, [id]);
  return Buffer.from(bodies.get(id) ?? 'not stored', 'utf8');
}

/** The call about a company with this name, and the stored body. */
async function callWith(companyName: string): Promise<{ call: StalledCall; stored: Buffer }> {
  const { tenantId, callouts } = webhook;
  const eventKey = randomUUID();
  const event = anEvent({
    recordId: came + 1,
    eventKey,
    contentHash: Buffer.alloc(32),
    fields: values({ companyName }),
  });
  const { eventIds } = await commit([{ tenantId, events: [event] }]);
  worker.producer.enqueueEvents(eventIds);
  came += 1;
  const call = await receiver.nth(callouts, came);
  await call.answer(200);
  const id = String(call.headers['webhook-id']);
  return { call, stored: await storedBody(id) };
}

/** Verifies as a receiver does with the library of Standard Webhooks, and the other signature by hand. */
function expectSigned({ headers, body }: StalledCall): void {
  const verifier = new Webhook(Buffer.from(secretKey, 'utf8'), { format: 'raw' });
  const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  expect(() => verifier.verify(body, plain)).not.toThrow();
  expect(() => verifier.verify(Buffer.concat([body, Buffer.from(' ')]), plain)).toThrow('No matching signature');
  expect(headers['x-hook-signature']).toBe(`sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`);
}

const nameIn = ({ body }: StalledCall) =>
  (JSON.parse(body.toString('utf8')) as { Fields: Record<string, unknown> }).Fields;

describe('the bytes of a callout', () => {
  it('stay the same when the webhook shows other fields, and when its event was matched late', async () => {
    const { call, stored } = await callWith('Acme');
    const { prisma, pool } = worker.database;
    const id = String(call.headers['webhook-id']);
    const where = { webhookKey: webhook.webhookKey };
    const [field] = await prisma.webhookField.findMany({ where });
    if (field === undefined) throw new Error('the webhook has no field');
    await prisma.webhookField.deleteMany({ where });
    expect(await storedBody(id)).toEqual(stored);
    await prisma.webhookField.create({ data: field });
    expect(await prisma.calloutBody.count({ where: { calloutId: id } })).toBe(0);
    // As if it had been pending for days: the day of its event may be dropped before that of the callout.
    await pool.query('DELETE FROM events WHERE id = (SELECT event_id FROM callouts WHERE id = $1)', [id]);
    expect((await storedBody(id)).toString()).toBe('not stored');
  });
});

describe('the bytes that are sent are the bytes that are signed and stored', () => {
  it.each([
    ['Unicode of every length', 'Grüße, Łódź, 株式会社, 👩‍👩‍👧‍👦, \u{10ffff}, e\u0301'],
    ['marks that turn the writing round, and invisible ones', '\u202eevil\u202c \u200b\ufeff\u2028\u2029\u0085'],
    ['control characters', '\u0001\u0008\t\n\r\u001f\u007f'],
    ['quotes, backslashes and what looks like an escape', '"\\" \\u0000 \\n </script> \'; DROP TABLE events; --'],
    ['a huge number', '9'.repeat(400)],
    ['a name that objects have', '__proto__'],
    ['7 KB of text', 'ß👋x'.repeat(1_000)],
  ])('with %s', async (_what, text) => {
    const { call, stored } = await callWith(text);
    expect(call.body.equals(stored)).toBe(true);
    expect(nameIn(call)).toEqual({ CompanyName: text });
    expectSigned(call);
  });

  it('with any text that can be stored', async () => {
    const text = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 200 })
      .filter((each) => !/\0|\p{Surrogate}/u.test(each));
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        const { call, stored } = await callWith(each);
        expect(call.body.equals(stored)).toBe(true);
        expect(nameIn(call)).toEqual({ CompanyName: each });
        expectSigned(call);
      }),
      { numRuns: 12 },
    );
  });
});

describe('a callout in another format', () => {
  it('is signed as every callout, and the log has its Content-Type', async () => {
    await webhook.update({ payloadFormat: 'cloudevents', includePreviousValues: true });
    const { call, stored } = await callWith('Acme "\u0007"');
    expect(call.headers['content-type']).toBe('application/cloudevents+json');
    expect(call.body.equals(stored)).toBe(true);
    expectSigned(call);
    expect(JSON.parse(call.body.toString('utf8'))).toMatchObject({
      id: call.headers['webhook-id'],
      subject: `Companies/${came}`,
      data: { fields: { companyName: 'Acme "\u0007"' }, previousFields: {}, sequenceNumber: came },
    });
    await webhook.allEnded();
    const attempts = await webhook.attempts();
    expect(attempts.map(({ requestHeaders }) => (requestHeaders as Record<string, string>)['Content-Type'])).toEqual([
      ...attempts.slice(1).map(() => undefined),
      'application/cloudevents+json',
    ]);
  });
});
