import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { callApi, COMPANY_NAME, eventually, type NewWebhook, type TenantUnderTest } from '@callout/testing';
import { callout } from './one-callout.fixture.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/merging.md'), 'utf8');
const [given, sent] = [...page.matchAll(/```json\n(.*?)```/gsu)].map(
  ([, text = '']) => JSON.parse(text) as Record<string, unknown>,
);
const events = given?.['events'] as Record<string, unknown>[];
const created = { entityType: 'Account', action: 'Create', id: 42, fields: { companyName: 'Acme', city: 'Oslo' } };

/** The webhook of the page. */
const merging: Partial<NewWebhook> = {
  mergeWhileWaiting: true,
  fields: [
    { fieldID: COMPANY_NAME, isSubscribedField: true, isDisplayAlwaysField: true },
    { fieldID: 11, isSubscribedField: true, isDisplayAlwaysField: false },
  ],
};

/** A tenant with such a webhook, and calls of its integrator. */
async function setUp(change: Partial<NewWebhook> = {}) {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant, { ...merging, ...change });
  const call = async (method: 'GET' | 'POST' | 'PATCH', rest: string, body?: object): Promise<unknown> => {
    const port = Number(new URL(callout.url).port);
    const reply = await callApi(port, tenant.integrator, {
      method,
      path: `/CompanyWebhooks/${webhook.id}${rest}`,
      ...(body && { body }),
    });
    if (reply.kind === 'answered' && reply.status === 200) return reply.body;
    throw new Error(JSON.stringify(reply));
  };
  const callouts = async () => {
    const { items } = (await call('GET', '/Callouts')) as { items: LogItem[] };
    return items.toSorted((a, b) => a.sequenceNumber - b.sequenceNumber);
  };
  return { tenant, webhook, call, callouts };
}

interface LogItem {
  readonly id: string;
  readonly sequenceNumber: number;
  readonly state: string;
  readonly mergedInto: { readonly sequenceNumber: number } | null;
}

/** Sends the changes of the page, and waits until all of them are matched. */
async function change(tenant: TenantUnderTest, callouts: () => Promise<LogItem[]>): Promise<void> {
  for (const event of events) await callout.send(tenant, event);
  await eventually(async () => (await callouts()).length === events.length + 1);
}

const statesOf = (items: readonly LogItem[]) =>
  items.map(({ sequenceNumber, state, mergedInto }) => [sequenceNumber, state, mergedInto?.sequenceNumber]);

/** The body that the page shows, of a webhook and a tenant of this test. */
function bodyOnPage(body: string, { sourceId }: TenantUnderTest): string {
  const { Guid } = JSON.parse(body) as { Guid: string };
  return JSON.stringify({ ...sent, Guid, PersonID: sourceId });
}

/** Lets the receiver answer its first request only when the returned function is called, and then as `later` says. */
function holdUp(
  webhook: Pick<Awaited<ReturnType<typeof callout.webhook>>, 'answer'>,
  later: (nth: number) => number,
): () => void {
  let release: () => void = () => undefined;
  const after = new Promise<void>((resolve) => (release = resolve));
  webhook.answer((_, nth) => (nth === 1 ? { status: 200, after } : { status: later(nth) }));
  return release;
}

describe('changes that are merged while their callout waits', () => {
  it('come as docs/merging.md shows, with the same bytes at every attempt', async () => {
    const { tenant, webhook, call, callouts } = await setUp();
    const release = holdUp(webhook, (nth) => (nth === 2 ? 500 : 200));
    await callout.send(tenant, created);
    await eventually(() => webhook.requests().length === 1);
    await change(tenant, callouts);
    release();
    await eventually(() => webhook.requests().length === 2);
    // One that was tried never changes: this one gets a callout of its own.
    await callout.send(tenant, { ...events[0], eventID: 'later', fields: { city: 'Voss' } });
    await eventually(async () => (await callouts()).length === events.length + 2);
    await eventually(async () => {
      await call('POST', '/retryNow');
      return webhook.requests().length === 4;
    });
    const [first, second, again, last] = webhook.requests().map(({ body }) => body.toString());
    expect(first).toContain('"Fields":{"CompanyName":"Acme","City":"Oslo"}');
    expect(second).toBe(bodyOnPage(second ?? '', tenant));
    expect(again).toBe(second);
    const names = webhook.requests().map(({ headers }) => headers['webhook-id']);
    expect(names[2]).toBe(names[1]);
    expect(JSON.parse(last ?? '')).toMatchObject({ SequenceNumber: 6, Fields: { City: 'Voss' } });
    await eventually(async () => (await callouts()).every(({ state }) => state === 'delivered' || state === 'merged'));
    expect(statesOf(await callouts())).toEqual([
      [1, 'delivered', undefined],
      [2, 'delivered', undefined],
      ...[3, 4, 5].map((number) => [number, 'merged', 2]),
      [6, 'delivered', undefined],
    ]);
  });

  it('are handed out as one callout, with the same bytes each time', async () => {
    const { tenant, call, callouts } = await setUp({ url: 'pull:', deactivationUrl: 'pull:' });
    const pull = async () => {
      const { items } = (await call('POST', '/Pull', { waitSeconds: 60 })) as {
        items: { ackID: string; calloutID: string; body: string }[];
      };
      return items;
    };
    await callout.send(tenant, created);
    const [first] = await pull();
    await change(tenant, callouts);
    await call('POST', '/Pull/ack', { acks: [first?.ackID] });
    const [merged, ...others] = await pull();
    expect(others).toEqual([]);
    expect(merged?.body).toBe(bodyOnPage(merged?.body ?? '', tenant));
    await call('POST', '/Pull/ack', { nacks: [{ ackID: merged?.ackID, retryAfterSeconds: 1 }] });
    await callout.send(tenant, { ...events[0], eventID: 'later', fields: { city: 'Voss' } });
    const [again] = await pull();
    expect([again?.calloutID, again?.body]).toEqual([merged?.calloutID, merged?.body]);
    await call('POST', '/Pull/ack', { acks: [again?.ackID] });
    const [last] = await pull();
    expect(JSON.parse(last?.body ?? '')).toMatchObject({ SequenceNumber: 6, Fields: { City: 'Voss' } });
  });
});
