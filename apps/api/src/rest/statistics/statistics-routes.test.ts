import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { insertLoggedCallout } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const minuteMs = 60_000;
const begin = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000);
const at = (minutes: number) => new Date(begin.getTime() + minutes * minuteMs);
let tenant: TestTenant;

interface Item {
  interval: string;
  totals: Record<string, number | null>;
  points: (Record<string, number | null> & { dateTime: string })[];
  toDeliver: Record<string, unknown>;
  groups?: Record<string, unknown>[];
}

const get = (path: string, as = tenant.integrator) => api.call('GET', path, { as });
const itemOf = async (path: string) => {
  const response = await get(path);
  expect(response).toMatchObject({ status: 200 });
  return (response.body as { item: Item }).item;
};
const range = (from: number, to: number) => `from=${at(from).toISOString()}&to=${at(to).toISOString()}`;

/** Counts of a webhook; each response took 40 ms. */
async function counted(table: 'minute' | 'hour', minute: number, webhookKey: number, delivered: number, held = 0) {
  const times = Array<number>(24).fill(0);
  times[5] = delivered;
  await api.database.pool.query(
    `INSERT INTO delivery_${table}s (webhook_key, ${table}, tenant_id, entity_type, delivered, attempts, failed_attempts,
       failures, held, answer_ms, answer_times, last_attempt_at, last_delivery_at)
     VALUES ($1, $2, $3, 'Account', $4, $5, 1, '{0,0,0,1,0}', $6, $7, $8, $2, $2)`,
    [webhookKey, at(minute), tenant.id, delivered, delivered + 1, held, delivered * 40, times],
  );
}

async function aWebhook(body: Record<string, unknown> = {}, as = tenant.integrator) {
  const made = await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody(body) });
  const { itemId: id } = made.body as { itemId: number };
  const { key } = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } });
  return { id, key: Number(key) };
}

beforeAll(async () => {
  await api.database.pool.query("INSERT INTO statistics_progress VALUES ('deliveries', $1, $2, $1)", [at(100), at(60)]);
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

describe('GET /Statistics', () => {
  it('has a point for each minute, those without a delivery too, and the times of responses', async () => {
    const { id, key } = await aWebhook();
    await counted('minute', 61, key, 10, 2);
    await counted('minute', 63, key, 5);
    const item = await itemOf(`/CompanyWebhooks/${id}/Statistics?${range(60, 64)}`);
    expect(item.interval).toBe('minute');
    expect(item.points.map(({ dateTime, delivered, held }) => [dateTime, delivered, held])).toEqual([
      [at(60).toISOString(), 0, null],
      [at(61).toISOString(), 10, 2],
      [at(62).toISOString(), 0, null],
      [at(63).toISOString(), 5, 0],
    ]);
    expect(item.totals).toEqual({
      delivered: 15,
      failed: 0,
      attempts: 17,
      failedAttempts: 2,
      failures: { status3xx: 0, status4xx: 0, status5xx: 0, timeout: 2, connection: 0, other: 0 },
      held: 0,
      averageMs: 40,
      p50Ms: 40,
      p95Ms: 49,
    });
    expect(item).toMatchObject({ countedUntilDateTime: at(100).toISOString() });
  });

  it('uses hours as they are counted, and makes the latest of their minutes', async () => {
    const { key } = await aWebhook();
    await counted('hour', 0, key, 100, 7);
    // Also in the hour that is counted already: it must not count twice.
    await counted('minute', 30, key, 100);
    await counted('minute', 61, key, 10, 3);
    await counted('minute', 62, key, 10, 5);
    const item = await itemOf(`/Statistics?${range(0, 120)}&interval=hour`);
    expect(item.points.map(({ delivered, held }) => [delivered, held])).toEqual([
      [100, 7],
      [20, 5],
    ]);
    expect((await itemOf(`/Statistics?${range(-480, 120)}`)).interval).toBe('hour');
  });

  it('separates webhooks and entities, and the tenants', async () => {
    const [one, two] = [await aWebhook(), await aWebhook({ name: 'busy' })];
    await counted('minute', 61, one.key, 1);
    await counted('minute', 61, two.key, 9);
    const of = async (query: string) => (await itemOf(`/Statistics?${range(60, 64)}${query}`)).groups;
    expect(await of('&groupBy=webhook')).toMatchObject([
      { entityType: 'Account', webhookID: two.id, name: 'busy', delivered: 9 },
      { webhookID: one.id, delivered: 1 },
    ]);
    expect(await of('&groupBy=entity')).toMatchObject([{ entityType: 'Account', webhookID: null, delivered: 10 }]);
    expect(await of('&groupBy=webhook&entityType=Ticket')).toEqual([]);
    const other = await makeTenant(api.database);
    expect(await get(`/CompanyWebhooks/${one.id}/Statistics`, other.admin)).toMatchObject({ status: 404 });
    expect(await get(`/Statistics?${range(60, 64)}`, other.admin)).toMatchObject({
      body: { item: { totals: { delivered: 0 } } },
    });
    expect((await get('/Statistics', tenant.source)).status).toBe(403);
  });

  it('shows the open callouts, and their age', async () => {
    const { id, key } = await aWebhook();
    const open = (state: string, dueAt: Date, nth: number) =>
      api.database.pool.query(
        `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number,
           state, due_at) VALUES ($1, $2, $3, 'Account', $4, 'Update', $4, $5, $6)`,
        [`019b0000-0000-7000-8000-00000000000${nth}`, tenant.id, key, nth, state, dueAt],
      );
    await open('due', at(0), 1);
    await open('due', new Date(Date.now() + 3_600_000), 2);
    await open('waiting', at(0), 3);
    await open('held', at(0), 4);
    for (const path of [`/CompanyWebhooks/${id}/Statistics`, '/Statistics']) {
      expect((await itemOf(path)).toDeliver).toEqual({
        due: 1,
        dueSinceDateTime: at(0).toISOString(),
        later: 1,
        waiting: 1,
        held: 1,
        failing: 0,
        oldestDateTime: expect.stringMatching(/^2025-12-/),
      });
    }
    await api.database.pool.query('DELETE FROM open_callouts WHERE webhook_key = $1', [key]);
  });

  it.each([
    ['from=yesterday', 'from'],
    [`from=${begin.toISOString()}&to=${begin.toISOString().replace('Z', '')}`, 'to'],
    [range(10, 5), 'to'],
    ['interval=day', 'interval'],
    [`${range(-3000, 0)}&interval=minute`, 'from'],
    [range(-200 * 24 * 60, 0), 'from'],
    ['entityType=Nothing', 'entityType'],
    ['groupBy=tenant', 'groupBy'],
  ])('refuses %s', async (query, field) => {
    const response = await get(`/Statistics?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ details: [{ code: 'invalid', field }] });
  });

  it('names no webhook that is not there', async () => {
    expect(await get('/CompanyWebhooks/99/Statistics')).toMatchObject({ status: 404, body: failure('notFound') });
  });
});

describe('GET /Overview and GET /Webhooks', () => {
  const field = { fields: [{ field: 'phone', isSubscribedField: true }] };

  it('describe the problem and its remedy', async () => {
    const well = await aWebhook({ ...field, isActive: true, name: 'well' });
    const broken = await aWebhook({ ...field, isActive: true, name: 'broken' });
    await aWebhook({ isActive: true, name: 'bare' });
    await api.database.pool.query(
      `INSERT INTO webhook_health (webhook_key, failed_in_row, failing_since, last_failure, paused_until, pauses)
       VALUES ($1, 2, $2, 'The receiver answered 500', now() + interval '1 minute', 1)`,
      [broken.key, at(0)],
    );
    const overview = await get('/Overview');
    expect(overview.body).toMatchObject({
      items: [
        {
          kind: 'receiverPaused',
          webhookID: broken.id,
          entityType: 'Account',
          name: 'broken',
          sinceDateTime: at(0).toISOString(),
          sentence: expect.stringContaining('answered 500'),
          remedy: { kind: 'test', method: 'POST', path: `/CompanyWebhooks/${broken.id}/test` },
        },
        { kind: 'notReady', name: 'bare', remedy: { kind: 'edit' } },
      ],
    });
    const list = async (query = '') =>
      (await get(`/Webhooks${query}`)).body as { items: { name: string; state: string }[]; totalCount: number };
    const states = async (query?: string) => (await list(query)).items.map(({ name, state }) => `${name} ${state}`);
    expect(await states('?sort=name')).toEqual(['bare notReady', 'broken paused', 'well delivering']);
    expect(await states('?sort=-name&maxRecords=1&skip=1')).toEqual(['broken paused']);
    expect(await states('?state=paused,notReady&search=BARE')).toEqual(['bare notReady']);
    expect(await list('?maxRecords=1')).toMatchObject({ totalCount: 3, items: [{ webhookID: well.id }] });
    for (const sort of ['url', '__proto__', 'constructor']) {
      expect((await get(`/Webhooks?sort=${sort}`)).status).toBe(400);
    }
    expect((await get('/Webhooks?maxRecords=501&skip=-1')).body).toMatchObject({
      details: [{ field: 'maxRecords' }, { field: 'skip' }],
    });
  });

  it('find, sort and page webhooks that are many, and read how one stands only where it is asked for', async () => {
    const active = await aWebhook({ ...field, isActive: true, name: 'M of all' });
    await api.database.pool.query(
      `INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active,
         is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
         send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
       SELECT tenant_id, 'Ticket', n, gen_random_uuid(), 'Feed ' || lpad(n::text, 5, '0'), webhook_url, deactivation_url,
         false, true, true, false, false, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext
       FROM webhooks, generate_series(1, 10000) n WHERE key = $1`,
      [active.key],
    );
    const names = async (query: string) => {
      const { items, totalCount } = (await get(`/Webhooks?maxRecords=2&${query}`)).body as {
        items: { name: string; state: string }[];
        totalCount: number;
      };
      return [totalCount, ...items.map(({ name, state }) => `${name} ${state}`)];
    };
    expect(await names('')).toEqual([10_001, 'M of all delivering', 'Feed 00001 inactive']);
    expect(await names('skip=9999')).toEqual([10_001, 'Feed 09999 inactive', 'Feed 10000 inactive']);
    expect(await names('sort=-name')).toEqual([10_001, 'M of all delivering', 'Feed 10000 inactive']);
    expect(await names('sort=-state')).toEqual([10_001, 'M of all delivering', 'Feed 00001 inactive']);
    expect(await names('sort=state&skip=9999')).toEqual([10_001, 'Feed 10000 inactive', 'M of all delivering']);
    expect(await names('search=fEED%200999')).toEqual([10, 'Feed 09990 inactive', 'Feed 09991 inactive']);
    expect(await names('state=delivering')).toEqual([1, 'M of all delivering']);
    expect(await names('state=inactive&entityType=Ticket&skip=10000')).toEqual([10_000]);
    expect((await get('/Overview')).body).toMatchObject({ items: [] });
    // Pages as all lists have them, which keep the parameters.
    const page = async (path: string) => {
      const { items, pageDetails } = (await get(path)).body as {
        items: { name: string }[];
        pageDetails: { prevPageUrl: string | null; nextPageUrl: string | null };
      };
      const pathOf = (url: string | null) => url && url.slice(url.indexOf('/v1.0') + '/v1.0'.length);
      const [previous, next] = [pathOf(pageDetails.prevPageUrl), pathOf(pageDetails.nextPageUrl)];
      return { names: items.map(({ name }) => name), pageDetails, previous, next };
    };
    const first = await page('/Webhooks?search=Feed%200999&sort=-name&MAXRECORDS=4');
    expect(first.pageDetails).toMatchObject({ count: 4, requestCount: 4, prevPageUrl: null });
    expect(first.pageDetails.nextPageUrl).toMatch(/^http:\/\/127\.0\.0\.1\/atservicesrest\/v1\.0\/Webhooks\?/u);
    const second = await page(first.next ?? '');
    const last = await page(second.next ?? '');
    expect(last.pageDetails).toMatchObject({ count: 2, requestCount: 4, nextPageUrl: null });
    expect([...first.names, ...second.names, ...last.names]).toEqual(
      Array.from({ length: 10 }, (_, index) => `Feed 0999${9 - index}`),
    );
    expect((await page(last.previous ?? '')).names).toEqual(second.names);
    expect((await page(second.previous ?? '')).names).toEqual(first.names);
    // Where a page begins within the first one, the page before is the rest of that.
    expect((await page((await page('/Webhooks?search=Feed%200999&maxRecords=4&skip=3')).previous ?? '')).names).toEqual(
      [...['Feed 09990', 'Feed 09991', 'Feed 09992']],
    );
  });

  it('show what each webhook did in the last 24 hours, and its last delivery, counted or not', async () => {
    const [busy, idle] = [await aWebhook({ ...field, name: 'busy' }), await aWebhook({ ...field, name: 'idle' })];
    await counted('hour', 0, busy.key, 7);
    await counted('minute', 61, busy.key, 1);
    // Longer ago than the list looks.
    await counted('hour', -60 * 24 * 31, idle.key, 5);
    const rows = async () => {
      const { items } = (await get('/Webhooks?sort=name')).body as { items: Record<string, unknown>[] };
      return items.map(({ name, lastAttemptDateTime, lastDeliveryDateTime, last24Hours }) => ({
        name,
        lastAttemptDateTime,
        lastDeliveryDateTime,
        ...(last24Hours as Record<string, unknown>),
      }));
    };
    // The hour that begins two hours before the present one is the third last.
    const byHour = (...last: number[]) => [...Array<number>(21).fill(0), ...last];
    const nothing = { lastAttemptDateTime: null, lastDeliveryDateTime: null, attempts: 0, errorRate: null };
    expect(await rows()).toEqual([
      {
        name: 'busy',
        lastAttemptDateTime: at(61).toISOString(),
        lastDeliveryDateTime: at(61).toISOString(),
        attempts: 10,
        failedAttempts: 2,
        errorRate: 0.2,
        attemptsByHour: byHour(8, 2, 0),
        failedAttemptsByHour: byHour(1, 1, 0),
      },
      { name: 'idle', ...nothing, failedAttempts: 0, attemptsByHour: [], failedAttemptsByHour: [] },
    ]);
    const { calloutId } = await insertLoggedCallout(api, tenant.id, { recordId: 1, webhookId: idle.id });
    const { rows: ended } = await api.database.pool.query<{ at: Date }>(
      'SELECT finished_at AS at FROM callouts WHERE id = $1',
      [calloutId],
    );
    expect(await rows()).toMatchObject([
      { name: 'busy' },
      { name: 'idle', lastDeliveryDateTime: ended[0]?.at.toISOString() },
    ]);
  });

  it("show the cause of a deactivation, unless it was the webhook's user", async () => {
    const made = [await aWebhook({ isActive: false, name: 'gone' }), await aWebhook({ isActive: false, name: 'off' })];
    for (const [place, cause] of (['gone', 'user'] as const).entries()) {
      await api.database.pool.query(
        `INSERT INTO changes (id, tenant_id, webhook_key, action, cause, entity, actor_kind, fields)
         VALUES (gen_random_uuid(), $1, $2, 'deactivated', $3, 'webhook', 'service', '[]')`,
        [tenant.id, made[place]?.key, cause],
      );
    }
    expect((await get('/Overview')).body).toMatchObject({
      items: [{ kind: 'deactivated', name: 'gone', remedy: { kind: 'activate', method: 'PATCH' } }],
    });
  });

  it('show each tenant its own', async () => {
    await aWebhook({ isActive: true });
    const other = await makeTenant(api.database);
    expect(await get('/Webhooks', other.admin)).toMatchObject({
      body: { items: [], totalCount: 0, pageDetails: { count: 0, requestCount: 100, nextPageUrl: null } },
    });
    expect(await get('/Overview', other.admin)).toMatchObject({ body: { items: [] } });
  });
});
