import { beforeAll, describe, expect, it } from '@jest/globals';
import { collectionPaths, FULL, kindsOfCollections, makeFullTenant } from './full-collections.fixture.ts';
import { idsOf, pageOf, pathBelowVersion } from '../../fixtures/pages.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
let tenant: TestTenant;
let paths: string[];
/** For tests that depend on the query only, which is the same for all collections. */
let kinds: string[];

beforeAll(async () => {
  tenant = await makeFullTenant(api);
  paths = collectionPaths(api);
  kinds = kindsOfCollections(api);
});

const search = (query: unknown) => `search=${encodeURIComponent(JSON.stringify(query))}`;
const get = (path: string) => api.call('GET', path, { as: tenant.admin });
const post = (path: string, body: unknown) => api.call('POST', path, { as: tenant.admin, body });
const itemOf = async (path: string) => ((await get(path)).body as { item: Record<string, unknown> }).item;

describe('every collection', () => {
  it('means all: of six entities, those under a record, and those that belong to none', () => {
    expect(paths).toHaveLength(6 * 2 + 16 * 2 + 4 + 3);
    expect(kinds).toHaveLength(9 + 3);
    expect(paths).toEqual(expect.arrayContaining(kinds));
  });

  it('is listed, queried by GET and POST, and counted: all the same rows, in order of id', async () => {
    for (const path of paths) {
      const listed = await get(path);
      const ids = idsOf(listed);
      expect({ [path]: ids }).toEqual({ [path]: ids.toSorted((one, other) => one - other) });
      expect(ids.length).toBeGreaterThanOrEqual(FULL);
      expect(pageOf(listed).pageDetails).toEqual({
        count: ids.length,
        requestCount: 500,
        prevPageUrl: null,
        nextPageUrl: null,
      });
      for (const same of [await get(`${path}/query?${search({})}`), await get(`${path}/query`)]) {
        expect(same.body).toEqual(listed.body);
      }
      expect((await post(`${path}/Query/`, { filter: [] })).body).toEqual(listed.body);
      const counted = { status: 200, body: { queryCount: ids.length } };
      await expect(get(`${path}/query/count?${search({ Filter: [] })}`)).resolves.toMatchObject(counted);
      await expect(post(`${path}/query/count`, { MaxRecords: 1 })).resolves.toMatchObject(counted);
    }
  });

  it('shows what reading one by its id shows, to the letter', async () => {
    for (const path of paths) {
      const [item] = pageOf(await get(path)).items;
      // As text: the order of the keys is the same too.
      expect({ [path]: JSON.stringify(item) }).toEqual({
        [path]: JSON.stringify(await itemOf(`${path}/${item?.id}`)),
      });
      expect(Object.keys(item ?? {})[0]).toBe('id');
    }
  });

  it('is filtered by id, with operators in any case and quoted numbers, showing only what is asked for', async () => {
    for (const path of kinds) {
      const [, second, third] = idsOf(await get(path));
      const filter = [{ OP: 'In', Field: 'ID', Value: [String(second), third] }];
      const query = { MAXRECORDS: '2', includefields: ['Id'], FILTER: filter };
      for (const response of [
        await get(`${path}/query?SEARCH=${search(query).slice(7)}`),
        await post(`${path}/query`, query),
      ]) {
        expect({ [path]: response.body }).toEqual({
          [path]: {
            items: [{ id: second }, { id: third }],
            pageDetails: { count: 2, requestCount: 2, prevPageUrl: null, nextPageUrl: null },
          },
        });
      }
    }
  });

  it('is paged forward by GET and back by POST, without a row twice or missing', async () => {
    for (const path of kinds) {
      const ids = idsOf(await get(path));
      let response = await post(`${path}/query`, { MaxRecords: 2 });
      const forward = [idsOf(response)];
      for (let next = pageOf(response).pageDetails.nextPageUrl; next !== null;) {
        response = await get(pathBelowVersion(next));
        forward.push(idsOf(response));
        expect(pageOf(response).pageDetails.requestCount).toBe(2);
        next = pageOf(response).pageDetails.nextPageUrl;
      }
      expect({ [path]: forward.flat() }).toEqual({ [path]: ids });
      expect(forward).toHaveLength(Math.ceil(ids.length / 2));
      const back = [idsOf(response)];
      for (let previous = pageOf(response).pageDetails.prevPageUrl; previous !== null;) {
        response = await post(pathBelowVersion(previous), { MaxRecords: 2 });
        back.unshift(idsOf(response));
        previous = pageOf(response).pageDetails.prevPageUrl;
      }
      expect({ [path]: back }).toEqual({ [path]: forward });
    }
  });

  it('names the keys of a query that mean nothing, on every page, and refuses them where the caller is strict', async () => {
    const query = { maxRecord: 1, MaxRecords: 1, Filter: [{ op: 'gt', field: 'id', value: 0, feild: 'x' }] };
    const expected = {
      ignored: ['maxRecord', 'Filter[0].feild'],
      warnings: [
        'maxRecord is no known key: did you mean MaxRecords?',
        'Filter[0].feild is no known key: did you mean field?',
      ],
    };
    for (const path of kinds) {
      const first = await post(`${path}/query`, query);
      const { pageDetails } = pageOf(first);
      const next = pathBelowVersion(pageDetails.nextPageUrl ?? '');
      for (const response of [first, await get(`${path}/query?${search(query)}`), await post(next, query)]) {
        expect(response).toMatchObject({ status: 200, body: { items: [expect.anything()], ...expected } });
      }
      for (const place of ['query/count', 'query/count?strict=0']) {
        expect(await post(`${path}/${place}`, query)).toMatchObject({ status: 200, body: expected });
      }
      expect((await get(next)).body).not.toHaveProperty('ignored');
      for (const strict of [`${path}/query?strict=1`, `${path}/query/count?strict=1`, `${next}&strict=1`]) {
        expect(await post(strict, query)).toMatchObject({ status: 400, body: { errors: expected.warnings } });
      }
    }
  });

  it('refuses what is no query with a sentence', async () => {
    for (const path of kinds) {
      const unknown = { Filter: [{ op: 'eq', field: 'noSuchField', value: 1 }] };
      for (const response of [
        await post(`${path}/query`, unknown),
        await get(`${path}/query/count?${search(unknown)}`),
      ]) {
        expect({ [path]: response.status }).toEqual({ [path]: 400 });
        expect(response.body).toMatchObject({ errors: [expect.stringContaining('"noSuchField" is no field of ')] });
      }
      await expect(post(`${path}/query`, undefined)).resolves.toMatchObject({ status: 400 });
      for (const [given, what] of [
        ['%7B', 'valid JSON, percent-encoded'],
        ['', 'valid JSON, percent-encoded'],
        ['[]', 'a JSON object'],
        ['null', 'a JSON object'],
      ]) {
        await expect(get(`${path}/query?search=${given}`)).resolves.toMatchObject({
          status: 400,
          body: { errors: [expect.stringContaining(`search must be ${what}, such as {"Filter":`)] },
        });
      }
      await expect(api.call('PUT', `${path}/query`, { as: tenant.admin, body: {} })).resolves.toMatchObject({
        status: 405,
        body: { errors: [expect.any(String)] },
      });
    }
  });
});

describe('a tenant without rows', () => {
  it('finds nothing of another tenant, and its tokens and parents are not there', async () => {
    const { admin: as } = await makeTenant(api.database);
    for (const path of paths) {
      const next = pageOf(await post(`${path}/query`, { MaxRecords: 1 })).pageDetails.nextPageUrl;
      const isChild = /\/1\//.test(path);
      const found = await api.call('GET', path, { as });
      const count = await api.call('POST', `${path}/query/count`, { as, body: {} });
      const resumed = await api.call('GET', pathBelowVersion(next), { as });
      if (isChild) {
        expect({ [path]: [found.status, count.status, resumed.status] }).toEqual({ [path]: [404, 404, 404] });
      } else {
        // The three resources of the tenant's own credentials are there from the beginning.
        const own = path === '/Resources' ? [1, 2, 3] : [];
        expect({ [path]: idsOf(found) }).toEqual({ [path]: own });
        expect(count.body).toEqual({ queryCount: own.length });
        expect(resumed).toMatchObject({ status: 400, body: { errors: [expect.stringMatching(/paging is no token/)] } });
      }
    }
  });
});
