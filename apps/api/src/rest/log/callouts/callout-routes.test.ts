import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@callout/database/schema/ids';
import { failure } from '../../../fixtures/failure.ts';
import { insertLoggedCallout, logOneOfEach, type LoggedCalloutOptions } from '../../../fixtures/logged-callout.ts';
import { pathBelowVersion } from '../../../fixtures/pages.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';
import { listOf, numbersOf } from '../listed.fixture.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  await make('/CompanyWebhooks');
});

const CALLOUTS = '/CompanyWebhooks/1/Callouts';

const make = (path: string) => api.call('POST', path, { as: tenant.integrator, body: webhookBody() });
const get = (path: string, as = tenant.integrator) => api.call('GET', path, { as });
const log = (options: LoggedCalloutOptions) => insertLoggedCallout(api, tenant.id, options);

describe('the callouts of a webhook', () => {
  it('are listed newest first', async () => {
    await logOneOfEach(api, tenant.id);
    const { items, pageDetails } = listOf(await get(CALLOUTS));
    expect(items.map(({ state, sequenceNumber }) => [state, sequenceNumber])).toEqual([
      ['due', 6],
      ['held', 5],
      ['waiting', 4],
      ['cancelled', 3],
      ['failed', 2],
      ['delivered', 1],
    ]);
    expect(pageDetails).toEqual({ count: 6, requestCount: 500, prevPageUrl: null, nextPageUrl: null });
  });

  it('show their webhook, their reason, and their time', async () => {
    const { calloutId, eventKey, webhookGuid } = await log({ recordId: 7, sequenceNumber: 3 });
    expect(listOf(await get(CALLOUTS)).items).toEqual([
      {
        id: calloutId,
        webhookID: 1,
        webhookGUID: webhookGuid,
        webhookName: 'crm.Company.Update',
        replayed: false,
        entityType: 'Account',
        recordID: 7,
        action: 'Update',
        kind: 'event',
        state: 'delivered',
        sequenceNumber: 3,
        eventID: eventKey,
        createDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        finishedDateTime: expect.any(String),
        attemptsMade: 1,
        lastAttempt: {
          startDateTime: '2026-03-04T05:06:08.009Z',
          durationMs: 12,
          status: 204,
          failureReason: null,
        },
        reason: null,
        isFailing: false,
        isRedelivery: false,
        nextAttemptDateTime: null,
        waitsFor: null,
        mergedInto: null,
      },
    ]);
  });

  it('name the callout that carries the change of a merged one, which is not sent again', async () => {
    const merge = async (id: string, into: string | null) =>
      api.database.pool.query("UPDATE callouts SET state = 'merged', merged_into = $2 WHERE id = $1", [id, into]);
    const [carrier, merged] = [await log({ sequenceNumber: 1 }), await log({ sequenceNumber: 2 })];
    await merge(merged.calloutId, carrier.calloutId);
    const mergedInto = { id: carrier.calloutId, sequenceNumber: 1 };
    const { items } = listOf(await get(`${CALLOUTS}?state=merged`));
    expect(items).toMatchObject([{ sequenceNumber: 2, state: 'merged', mergedInto, waitsFor: null }]);
    const message = 'Callout 1 of the same record carries its change.';
    const { body } = await get(`${CALLOUTS}/${merged.calloutId}`);
    expect(body).toMatchObject({ item: { mergedBecause: message, cancelledBecause: null } });
    const explained = await get(`/EntityEvents/${merged.eventKey}/explain?webhookGUID=${merged.webhookGuid}`);
    expect(explained.body).toMatchObject({
      item: {
        message: `The webhook gets a callout: every rule passed. ${message}`,
        callout: { state: 'merged', mergedInto },
      },
    });
    const redelivered = await api.call('POST', `${CALLOUTS}/${merged.calloutId}/redeliver`, { as: tenant.integrator });
    const refusal = `The callout was merged into callout 1 (${carrier.calloutId}), which carries its change: redeliver that one`;
    expect(redelivered).toMatchObject({ status: 409, body: failure('conflict', refusal) });
    await merge(carrier.calloutId, null);
    expect((await get(`${CALLOUTS}/${carrier.calloutId}`)).body).toMatchObject({
      item: { mergedInto: null, mergedBecause: expect.stringContaining('undid each other') },
    });
  });

  it('say of each what its last attempt came to, and which of them are failing', async () => {
    await log({ recordId: 1, sequenceNumber: 1, state: 'failed' });
    const { calloutId } = await log({ recordId: 2, sequenceNumber: 2, state: 'due' });
    const attempt = { startDateTime: expect.any(String), durationMs: 12, status: 500, failureReason: null };
    const before = listOf(await get(`${CALLOUTS}?isFailing=true`)).items;
    expect(before).toEqual([]);
    await api.database.pool.query('UPDATE open_callouts SET attempts_made = 1 WHERE callout_id = $1', [calloutId]);
    await api.database.pool.query(
      `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url,
         request_headers, status, next_attempt_at)
       SELECT $1, callout_id, tenant_id, webhook_key, 1, now(), 12, 'http://x', '{}', 500, now()
       FROM open_callouts WHERE callout_id = $2`,
      [newId(), calloutId],
    );
    expect(listOf(await get(CALLOUTS)).items).toMatchObject([
      { sequenceNumber: 2, state: 'due', attemptsMade: 1, isFailing: true, lastAttempt: attempt },
      { sequenceNumber: 1, isFailing: false, lastAttempt: { status: null, failureReason: 'timeout' } },
    ]);
    for (const path of [`${CALLOUTS}?isFailing=true`, '/Callouts?isfailing=true&state=due,held']) {
      expect(numbersOf(await get(path))).toEqual([2]);
    }
    expect(numbersOf(await get('/Callouts?isFailing=true&state=held'))).toEqual([]);
    expect(await get(`${CALLOUTS}/query/count?isFailing=true`)).toMatchObject({ body: { queryCount: 1 } });
    expect(await get(`${CALLOUTS}?isFailing=yes`)).toMatchObject({
      status: 400,
      body: { details: [{ code: 'invalid', field: 'isFailing' }] },
    });
    // It is due again, and none of its attempts since then has failed.
    await api.database.pool.query('UPDATE open_callouts SET attempts_before = 1 WHERE callout_id = $1', [calloutId]);
    expect(numbersOf(await get(`${CALLOUTS}?isFailing=true`))).toEqual([]);
  });

  it('are paged there and back, with the same filter, each once', async () => {
    for (let number = 1; number <= 7; number += 1) {
      await log({ sequenceNumber: number, recordId: number, state: number === 4 ? 'failed' : 'delivered' });
    }
    const filtered = `${CALLOUTS}?state=delivered&maxRecords=2`;
    const pages: unknown[][] = [];
    let page = listOf(await get(filtered));
    pages.push(page.items.map(({ sequenceNumber }) => sequenceNumber));
    for (let next = page.pageDetails.nextPageUrl; next !== null; next = page.pageDetails.nextPageUrl) {
      page = listOf(await get(pathBelowVersion(next)));
      pages.push(page.items.map(({ sequenceNumber }) => sequenceNumber));
    }
    expect(pages).toEqual([
      [7, 6],
      [5, 3],
      [2, 1],
    ]);
    const back: unknown[][] = [];
    for (let previous = page.pageDetails.prevPageUrl; previous !== null; previous = page.pageDetails.prevPageUrl) {
      page = listOf(await get(pathBelowVersion(previous)));
      back.unshift(page.items.map(({ sequenceNumber }) => sequenceNumber));
    }
    expect(back).toEqual(pages.slice(0, -1));
  });

  it('stay where they are on their pages when newer ones come', async () => {
    for (let number = 1; number <= 4; number += 1) await log({ sequenceNumber: number, recordId: number });
    const first = listOf(await get(`${CALLOUTS}?maxRecords=2`));
    await log({ sequenceNumber: 5, recordId: 5 });
    const second = listOf(await get(pathBelowVersion(first.pageDetails.nextPageUrl)));
    expect(second.items.map(({ sequenceNumber }) => sequenceNumber)).toEqual([2, 1]);
    const back = await get(pathBelowVersion(second.pageDetails.prevPageUrl));
    expect(numbersOf(back)).toEqual([4, 3]);
    const newest = await get(pathBelowVersion(listOf(back).pageDetails.prevPageUrl));
    expect(numbersOf(newest)).toEqual([5]);
    // Nothing is newer: the page is empty, and its link leads back to the page before.
    await api.database.prisma.callout.deleteMany({ where: { tenantId: tenant.id, sequenceNumber: 5 } });
    const none = await get(pathBelowVersion(listOf(back).pageDetails.prevPageUrl));
    expect(numbersOf(none)).toEqual([]);
    expect(numbersOf(await get(pathBelowVersion(listOf(none).pageDetails.nextPageUrl)))).toEqual([4, 3]);
  });

  it.each([
    ['nothing', ''],
    ['an empty one', '?paging='],
    ['a word', '?paging=abc'],
    ['a long text', `?paging=${'x'.repeat(5000)}`],
  ])('refuse as a token: %s', async (_, query) => {
    const response = await get(`${CALLOUTS}/query/next${query}`);
    expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'paging' }] } });
  });

  it('refuse tokens of another webhook, list or tenant', async () => {
    await make('/CompanyWebhooks');
    await log({ sequenceNumber: 1 });
    await log({ sequenceNumber: 2, recordId: 2 });
    const next = listOf(await get(`${CALLOUTS}?maxRecords=1`)).pageDetails.nextPageUrl ?? '';
    const query = next.slice(next.indexOf('?'));
    await expect(get(`${CALLOUTS}/query/next${query}`)).resolves.toMatchObject({ status: 200 });
    for (const other of ['/CompanyWebhooks/2/Callouts', '/Callouts', '/EntityEvents']) {
      await expect(get(`${other}/query/next${query}`)).resolves.toMatchObject({ status: 400 });
    }
    const stranger = await makeTenant(api.database);
    const body = webhookBody();
    await api.call('POST', '/CompanyWebhooks', { as: stranger.integrator, body });
    await expect(get(`${CALLOUTS}/query/next${query}`, stranger.integrator)).resolves.toMatchObject({ status: 400 });
  });

  it('wait for nothing but their cancellation once the webhook is deactivated, and its deactivation call does not', async () => {
    await log({ state: 'due' });
    const { calloutId } = await log({ state: 'due', sequenceNumber: 2, recordId: 2 });
    const { prisma } = api.database;
    await prisma.openCallout.update({ where: { calloutId }, data: { kind: 'deactivation', recordId: -1 } });
    // As it is left to the worker by an automatic cause, or by a deactivation with a long backlog.
    await prisma.webhook.updateMany({
      where: { tenantId: tenant.id },
      data: { isActive: false, isCancelling: true },
    });
    expect(listOf(await get(CALLOUTS)).items).toMatchObject([
      { sequenceNumber: 2, waitsFor: { reason: 'worker' }, nextAttemptDateTime: expect.any(String) },
      { sequenceNumber: 1, waitsFor: { reason: 'cancellation' }, nextAttemptDateTime: null },
    ]);
  });

  it('are 404 without the webhook, under another entity, and once it is deleted', async () => {
    const { calloutId } = await log({});
    for (const path of ['/CompanyWebhooks/2', '/ContactWebhooks/1', '/CompanyWebhooks/0', '/CompanyWebhooks/x']) {
      await expect(get(`${path}/Callouts`)).resolves.toMatchObject({ status: 404, body: failure('notFound') });
      await expect(get(`${path}/Callouts/${calloutId}`)).resolves.toMatchObject({ status: 404 });
    }
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    await expect(get(CALLOUTS)).resolves.toMatchObject({ status: 404 });
    await expect(get(`${CALLOUTS}/query/count`)).resolves.toMatchObject({ status: 404 });
  });
});

describe('one callout', () => {
  it('has its body, and both sides of every attempt', async () => {
    const { calloutId, eventKey } = await log({ state: 'failed', recordId: 5 });
    const attempt = (number: number) => ({
      number,
      startDateTime: '2026-03-04T05:06:08.009Z',
      durationMs: 12,
      url: 'http://127.0.0.1:9999/in',
      requestHeaders: {
        'Content-Type': 'application/json',
        'User-Agent': 'Callout/0',
        'X-Hook-Attempt': String(number),
        'X-Hook-Callout-Type': 'PATCH',
        'X-Hook-Event-Id': eventKey,
        'webhook-id': calloutId,
        'webhook-timestamp': String(Date.parse('2026-03-04T05:06:08Z') / 1000),
        'webhook-signature': '<redacted>',
        'X-Hook-Signature': '<redacted>',
      },
    });
    const response = await get(`${CALLOUTS}/${calloutId.toUpperCase()}`);
    expect(response).toMatchObject({
      status: 200,
      body: {
        item: { id: calloutId, state: 'failed', attemptsMade: 2, body: '{"Action":"Update","Id":5}', pauses: [] },
      },
    });
    expect((response.body as { item: { attempts: unknown } }).item.attempts).toEqual([
      {
        ...attempt(1),
        status: 500,
        responseHeaders: { server: 'receiver' },
        responseBody: 'thanks ☺',
        responseBodyEncoding: 'utf-8',
        failureReason: null,
        failure: 'The receiver answered 500: it failed. See the log of the receiver.',
        note: null,
        nextAttemptDateTime: '2026-03-04T05:06:13.500Z',
      },
      {
        ...attempt(2),
        status: null,
        responseHeaders: null,
        responseBody: null,
        responseBodyEncoding: null,
        failureReason: 'timeout',
        failure: 'The receiver did not answer in time.',
        note: null,
        nextAttemptDateTime: null,
      },
    ]);
  });

  it('shows its newest 100 attempts, in their order', async () => {
    const { calloutId } = await log({ state: 'delivered' });
    const [known] = await api.database.prisma.attempt.findMany({ where: { calloutId } });
    if (known === undefined) throw new Error('no attempt');
    const later = Array.from({ length: 120 }, (_, index) => ({
      ...known,
      id: newId(),
      number: index + 2,
      requestHeaders: {},
      responseHeaders: {},
    }));
    await api.database.prisma.attempt.createMany({ data: later });
    const { body } = await get(`${CALLOUTS}/${calloutId}`);
    const { attempts, attemptsMade } = (body as { item: { attempts: { number: number }[]; attemptsMade: number } })
      .item;
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 22));
    expect(attemptsMade).toBe(121);
  });

  it.each(['nonsense', '00000000-0000-7000-8000-000000000000', '1', '0'.repeat(60)])('%s is 404', async (id) => {
    await expect(get(`${CALLOUTS}/${id}`)).resolves.toMatchObject({ status: 404, body: failure('notFound') });
    await expect(get(`/Callouts/${id}`)).resolves.toMatchObject({ status: 404 });
  });

  it('is 404 under another webhook of the tenant', async () => {
    await make('/CompanyWebhooks');
    const { calloutId } = await log({});
    await expect(get(`/CompanyWebhooks/2/Callouts/${calloutId}`)).resolves.toMatchObject({ status: 404 });
  });
});

describe('the callouts of a tenant', () => {
  it('are those of every webhook, newest first, of deleted ones too', async () => {
    await make('/ContactWebhooks');
    const first = await log({ sequenceNumber: 1 });
    const second = await log({ entityType: 'Contact', sequenceNumber: 1 });
    const third = await log({ sequenceNumber: 2, recordId: 2, state: 'failed' });
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    const kindsOf = async (query: string) =>
      listOf(await get(`/Callouts${query}`)).items.flatMap(({ id, kind }) => (kind === 'event' ? [id] : []));
    const [one, two, three] = [first, second, third].map(({ calloutId }) => calloutId);
    expect(await kindsOf('')).toEqual([three, two, one]);
    expect(await kindsOf('?entityType=contact')).toEqual([two]);
    expect(await kindsOf(`?webhookGUID=${first.webhookGuid.toUpperCase()}`)).toEqual([three, one]);
    expect(await kindsOf(`?webhookGUID=${first.webhookGuid}&entityType=Contact`)).toEqual([]);
    expect(await kindsOf('?state=failed')).toEqual([three]);
    expect(await kindsOf('?recordID=2')).toEqual([three]);
    await expect(get(`/Callouts/${one}`)).resolves.toMatchObject({ body: { item: { id: one, webhookID: 1 } } });
    await expect(get('/Callouts/query/count?entityType=Contact')).resolves.toMatchObject({ body: { queryCount: 1 } });
  });

  it('are paged through without one twice or missing, over several webhooks', async () => {
    await make('/ContactWebhooks');
    const ids: string[] = [];
    for (let number = 1; number <= 5; number += 1) {
      const entityType = number % 2 === 0 ? 'Account' : 'Contact';
      ids.unshift((await log({ entityType, sequenceNumber: number, recordId: number })).calloutId);
    }
    const seen: unknown[] = [];
    let page = listOf(await get('/Callouts?maxRecords=2'));
    seen.push(...page.items.map(({ id }) => id));
    for (let next = page.pageDetails.nextPageUrl; next !== null; next = page.pageDetails.nextPageUrl) {
      page = listOf(await get(pathBelowVersion(next)));
      seen.push(...page.items.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
  });

  it.each([
    ['webhookGUID=7', 'webhookGUID must be the GUID of a webhook'],
    ['entityType=Resource', 'entityType must be one or more of Account, '],
    ['fromSequence=1', 'fromsequence is not a parameter here'],
  ])('refuse what is no filter: %s', async (filter, sentence) => {
    const response = await get(`/Callouts?${filter}`);
    expect(response).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(sentence)] } });
  });
});
