import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveResult } from '@callout/queue/live-result';
import { createTestDatabase, eventually } from '@callout/testing';
import { Browser } from '../console/test/browser.ts';
import { failure } from '../fixtures/failure.ts';
import { startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import type { SubscribeLive } from './live-hub.ts';

type Heard = Parameters<SubscribeLive>[0];
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let heard: Heard;
const watched = new Set<number>();
let isRedisReady = true;
let tenant: TestTenant;
const streams: AbortController[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const subscribeLive: SubscribeLive = (given) => {
    heard = given;
    return {
      watch: async (tenantId) => {
        watched.add(tenantId);
        return isRedisReady;
      },
      unwatch: (tenantId) => void watched.delete(tenantId),
      close: () => undefined,
    };
  };
  api = await startTestApi(testDatabase.url, {}, undefined, { subscribeLive });
});
afterAll(async () => {
  for (const stream of streams) stream.abort();
  await api.stop();
  await testDatabase.drop();
});
beforeEach(async () => {
  isRedisReady = true;
  tenant = await makeTenant(api.database);
});

const credential = (as = tenant.integrator) => ({
  UserName: as.userName,
  Secret: as.secret,
  ApiIntegrationCode: as.apiIntegrationCode,
});

/** Opens a stream, and gathers its events. */
async function open(query = '', headers: Record<string, string> = credential()) {
  const abort = new AbortController();
  streams.push(abort);
  const response = await fetch(`${api.url}/atservicesrest/v1.0/Live${query}`, { headers, signal: abort.signal });
  const events: [string, Record<string, unknown>][] = [];
  const state = { isOver: false };
  void (async () => {
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const texts = text.split('\n\n');
      text = texts.pop() ?? '';
      for (const one of texts) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
        if (name !== undefined && data !== undefined) events.push([name, JSON.parse(data) as Record<string, unknown>]);
      }
    }
    state.isOver = true;
  })().catch(() => (state.isOver = true));
  const attempts = () => events.filter(([name]) => name === 'attempt').map(([, { sequenceNumber }]) => sequenceNumber);
  return { response, events, attempts, state, close: () => abort.abort() };
}

async function aWebhook(as = tenant.integrator) {
  const made = await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody() });
  const { itemId: id } = made.body as { itemId: number };
  const { key } = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } });
  return { id, key: Number(key) };
}

const aResult = (webhookKey: number, sequenceNumber: number, change: Partial<LiveResult> = {}): LiveResult => ({
  calloutId: '019b0000-0000-7000-8000-000000000001',
  webhookKey,
  recordId: 42,
  sequenceNumber,
  kind: 'event',
  state: 'due',
  attempt: 1,
  startedAtMs: Date.parse('2026-03-01T12:00:00Z'),
  durationMs: 500,
  status: 503,
  reason: 'The receiver answered 503',
  nextInMs: 4_500,
  ...change,
});

describe('GET /Live', () => {
  it('sends the result of an attempt, in the terms of the delivery log', async () => {
    const { id, key } = await aWebhook();
    const stream = await open();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    await eventually(() => expect(stream.events).toEqual([['live', {}]]));
    heard.onResults(tenant.id, [aResult(key, 7)]);
    await eventually(() => expect(stream.events).toHaveLength(2));
    expect(stream.events[1]).toEqual([
      'attempt',
      {
        calloutID: '019b0000-0000-7000-8000-000000000001',
        entityType: 'Account',
        webhookID: id,
        recordID: 42,
        sequenceNumber: 7,
        kind: 'event',
        state: 'due',
        attempt: {
          number: 1,
          startDateTime: '2026-03-01T12:00:00.000Z',
          durationMs: 500,
          status: 503,
          reason: 'The receiver answered 503',
        },
        nextAttemptDateTime: '2026-03-01T12:00:05.000Z',
      },
    ]);
  });

  it('sends each viewer the results that it subscribed to and may see', async () => {
    const [one, two] = [await aWebhook(), await aWebhook(tenant.admin)];
    const other = await makeTenant(api.database);
    const all = await open();
    const ofOne = await open(`?entityType=Account&webhookID=${one.id}`);
    const elsewhere = await open('', credential(other.admin));
    heard.onResults(tenant.id, [aResult(one.key, 1), aResult(two.key, 2)]);
    // As if another program wrote something false into Redis.
    heard.onResults(other.id, [aResult(one.key, 3)]);
    heard.onResults(tenant.id, [aResult(one.key, 4)]);
    await eventually(() =>
      expect([all.attempts(), ofOne.attempts()]).toEqual([
        [1, 2, 4],
        [1, 4],
      ]),
    );
    expect(elsewhere.attempts()).toEqual([]);
  });

  it('reports when results stop, and when they come again', async () => {
    isRedisReady = false;
    const stream = await open();
    await eventually(() => expect(stream.events.map(([name]) => name)).toEqual(['fallback']));
    heard.onReady(true);
    heard.onReady(true);
    heard.onReady(false);
    await eventually(() => expect(stream.events.map(([name]) => name)).toEqual(['fallback', 'live', 'fallback']));
  });

  it('is watched for as long as a viewer is connected', async () => {
    const [one, two] = [await open(), await open()];
    expect(watched.has(tenant.id)).toBe(true);
    one.close();
    two.close();
    await eventually(() => expect(watched.has(tenant.id)).toBe(false));
  });

  it.each([
    ['?webhookID=1', 400, 'required'],
    ['?entityType=Nothing', 400, 'invalid'],
    ['?entityType=Account&webhookID=99', 404, 'notFound'],
  ])('refuses %s', async (query, status, code) => {
    const response = await api.call('GET', `/Live${query}`, { as: tenant.integrator });
    expect(response).toMatchObject({ status, body: failure(code) });
  });

  it('is limited to callers that may see webhooks', async () => {
    expect((await api.call('GET', '/Live', { as: tenant.source })).status).toBe(403);
    expect((await api.call('GET', '/Live')).status).toBe(401);
  });

  it('can be watched with the cookie of the console', async () => {
    const browser = new Browser(api.url);
    await browser.signIn(tenant.integrator);
    const [[name, value] = ['', '']] = browser.cookies;
    const stream = await open('', { Cookie: `${name}=${value}`, 'Sec-Fetch-Site': 'same-origin' });
    expect(stream.response.status).toBe(200);
    const forged = await open('', { Cookie: `${name}=${value}`, 'Sec-Fetch-Site': 'cross-site' });
    expect(forged.response.status).toBe(403);
  });
});
