import { beforeAll, describe, expect, it } from '@jest/globals';
import { deletions, otherRoutes, routesOfEntity, type RouteCase } from '../../fixtures/every-route.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeWholeTenant, recordBody, type WholeTenant } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;
beforeAll(async () => {
  tenant = await makeWholeTenant(api);
});

const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  api.call(method, path, { as: tenant.admin, headers, ...(body !== undefined && { body }) });

const isRead = ({ method, path }: RouteCase) =>
  method === 'GET' || /\/(?:query|entityInformation|simulate|preview)\b/u.test(path);

describe('a precondition that does not hold', () => {
  it('refuses every write of every route, whether the route compares versions or not', async () => {
    const entities = api.catalogue.watched.filter(({ entityType }) => ['Account', 'TicketNote'].includes(entityType));
    const routes = [
      ...entities.flatMap((entity) => routesOfEntity(entity, 1, tenant.logged)),
      ...otherRoutes(tenant.errorLogId, tenant.logged),
      ...deletions(entities, tenant.errorLogId),
    ];
    const made: string[] = [];
    for (const { method, path, body } of routes.filter((one) => !isRead(one))) {
      const { status } = await call(method, path, { 'If-Match': '"no-such-version"' }, body);
      if (status !== 412) made.push(`${method} ${path}: ${status}`);
    }
    expect(made).toEqual([]);
  });
});

describe('a write of a record, which has no version', () => {
  beforeAll(async () => {
    tenant = await makeWholeTenant(api);
  });
  const company = { method: 'PATCH', path: '/Companies/1', body: { companyName: 'changed' } };
  const send = (headers: Record<string, string>, one: { method: string; path: string; body: unknown } = company) =>
    call(one.method, one.path, headers, one.body);

  it('is refused with a reason where it names one, and made with what holds without one', async () => {
    const before = await call('GET', '/Companies/1', {});
    for (const tags of ['"a"', 'W/"a"', '"a", "b"']) {
      const refused = await send({ 'If-Match': tags });
      expect(refused).toMatchObject({ status: 412, body: { details: [{ code: 'preconditionFailed' }] } });
      expect(refused.body).toMatchObject({ errors: [expect.stringContaining('no version')] });
      expect(refused.headers.has('etag')).toBe(false);
    }
    expect(await send({ 'If-None-Match': '*' })).toMatchObject({ status: 412 });
    expect(await send({ 'If-Match': 'a' })).toMatchObject({ status: 400 });
    expect(await call('GET', '/Companies/1', {})).toMatchObject({ body: before.body });
    expect(await send({ 'If-Match': '*' })).toMatchObject({ status: 200 });
    expect(await send({ 'If-None-Match': '"a"' })).toMatchObject({ status: 200 });
  });

  it('is made with If-None-Match: * where it creates one', async () => {
    const [account] = api.catalogue.watched.filter(({ entityType }) => entityType === 'Account');
    if (account === undefined) throw new Error('no companies');
    const create = { method: 'POST', path: '/Companies', body: recordBody(account) };
    expect(await send({ 'If-None-Match': '*' }, create)).toMatchObject({ status: 200 });
    expect(await send({ 'If-Match': '"a"' }, create)).toMatchObject({ status: 412 });
  });
});
