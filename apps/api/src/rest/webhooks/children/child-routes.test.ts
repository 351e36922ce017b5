import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { childKinds, noFlags } from '../../../fixtures/child-kinds.ts';
import { failure } from '../../../fixtures/failure.ts';
import { makeTenantWithWebhooks, webhookVersion } from '../../../fixtures/tenant-with-webhooks.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import type { CallOptions } from '../../../fixtures/test-api.ts';
import { makeCredential, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.integrator, body });
const itemOf = async (path: string) => ((await call('GET', path)).body as { item: unknown }).item;

/**
 * Repeats requests that were 503: on a busy machine, some of 48 requests wait longer for a connection than the API
 * allows.
 */
const postInTime = (path: string, options: CallOptions) =>
  eventually(async () => {
    const response = await api.call('POST', path, options);
    return response.status !== 503 && response;
  });

const version = (id = 1) => webhookVersion(api, tenant, id);

describe.each(childKinds)('$segment', ({ path, twin, targets, hasFlags }) => {
  const itemOfTarget = (id: number, webhookID: number, target: object) => ({
    id,
    webhookID,
    ...target,
    ...(hasFlags && noFlags),
  });

  it('are created under their webhook and at the root, and read in both places', async () => {
    const [first, second, third] = targets;
    await expect(call('POST', `${path}/`, first)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(call('POST', twin, { ...second, webhookID: '2' })).resolves.toMatchObject({ body: { itemId: 2 } });
    await expect(call('POST', path, { ...third, WEBHOOKID: 1 })).resolves.toMatchObject({ body: { itemId: 3 } });
    expect((await call('GET', path)).body).toEqual({
      items: [itemOfTarget(1, 1, first ?? {}), itemOfTarget(3, 1, third ?? {})],
      pageDetails: { count: 2, requestCount: 500, prevPageUrl: null, nextPageUrl: null },
    });
    expect(await itemOf(`${path}/3`)).toEqual(itemOfTarget(3, 1, third ?? {}));
    expect(await itemOf(`${twin}/2`)).toEqual(itemOfTarget(2, 2, second ?? {}));
    await expect(call('GET', `${path}/2`)).resolves.toMatchObject({ status: 404 });
  });

  it('need what they are about, and at the root their webhook', async () => {
    const [target] = targets;
    const [key = ''] = Object.keys(target ?? {});
    const refused = [
      [path, {}, 400],
      [path, { [key]: null }, 400],
      [path, { [key]: 99 }, 400],
      [path, { [key]: 2 ** 31 }, 400],
      [path, { [key]: '9007199254740992' }, 400],
      [path, { ...target, webhookID: 2 }, 400],
      [twin, target, 400],
      [twin, { ...target, webhookID: 3 }, 404],
      [twin, { ...target, webhookID: 2 ** 31 }, 404],
      ['/CompanyWebhooks/3/' + path.split('/')[3], target, 404],
    ] as const;
    for (const [place, body, status] of refused) {
      const response = await call('POST', place, body);
      expect({ place, body, status: response.status }).toEqual({ place, body, status });
    }
    await expect(call('POST', path, target)).resolves.toMatchObject({ body: { itemId: 1 } });
  });

  it('exist once for each webhook: the second is 409 and uses no id', async () => {
    const [target, other] = targets;
    await call('POST', path, target);
    await expect(call('POST', path, target)).resolves.toMatchObject({ status: 409, body: failure('duplicate') });
    await expect(call('POST', twin, { ...target, webhookID: 2 })).resolves.toMatchObject({ body: { itemId: 2 } });
    await expect(call('POST', path, other)).resolves.toMatchObject({ body: { itemId: 3 } });
  });

  it('are deleted under their webhook only, and their ids are not used again', async () => {
    const [target] = targets;
    await call('POST', path, target);
    await expect(call('DELETE', path.replace('/1/', '/2/') + '/1')).resolves.toMatchObject({ status: 404 });
    await expect(call('DELETE', `${path}/1`)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(call('DELETE', `${path}/1`)).resolves.toMatchObject({ status: 404 });
    await expect(call('GET', `${twin}/1`)).resolves.toMatchObject({ status: 404 });
    await expect(call('POST', path, target)).resolves.toMatchObject({ body: { itemId: 2 } });
  });

  it('raise the version of their webhook, one for each change, and not when they are refused', async () => {
    const [target] = targets;
    await call('POST', path, target);
    expect(await version()).toBe(2);
    await call('POST', path, target);
    await call('DELETE', `${path}/99`);
    expect(await version()).toBe(2);
    await call('DELETE', `${path}/1`);
    expect(await version()).toBe(3);
    expect(await version(2)).toBe(1);
  });

  it('get ids without a gap when two clients create them at once, for several webhooks', async () => {
    const other = await makeCredential(api.database, tenant.id, tenant.integrator.resourceId, 'integrator');
    for (let n = 3; n <= 4; n += 1) await call('POST', '/CompanyWebhooks', webhookBody());
    const places = [1, 2, 3, 4].map((id) => path.replace('/1/', `/${id}/`));
    const responses = await Promise.all(
      places.flatMap((place) =>
        [...targets, ...targets].map((body, nth) =>
          postInTime(place, { as: nth % 2 === 0 ? tenant.integrator : other, body }),
        ),
      ),
    );
    const made = responses
      .filter((response) => response.status === 200)
      .map(({ body }) => (body as { itemId: number }).itemId);
    expect(responses.filter((response) => response.status === 409)).toHaveLength(12);
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, nth) => nth + 1));
    expect(await version(4)).toBe(1 + targets.length);
  });

  it('accept no other writes at the root', async () => {
    await call('POST', path, targets[0]);
    const responses = await Promise.all([
      call('PUT', twin, { id: 1 }),
      call('PATCH', twin, { id: 1 }),
      call('PUT', `${twin}/1`, {}),
      call('PATCH', `${twin}/1`, {}),
      call('DELETE', `${twin}/1`),
    ]);
    expect(responses.map((response) => response.status)).toEqual([405, 405, 405, 405, 405]);
    expect(responses.map((response) => response.headers.get('allow')?.includes('POST'))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
