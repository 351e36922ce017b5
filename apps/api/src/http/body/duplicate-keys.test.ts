import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { countJsonValues } from './json-shape.ts';

const duplicatesOf = (json: string) => {
  const bytes = Buffer.from(json);
  return duplicateKeys(bytes, JSON.parse(json), countJsonValues(bytes, bytes.length)).map(({ field }) => field);
};

describe('keys that JSON keeps once', () => {
  it.each([
    ['{"a":1,"a":1}', ['a']],
    ['{"a":{"b":[1,2]},"c":[],"a":null}', ['a']],
    ['{"a":1,"b":{"a":1},"\\u0061":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"events":[{"fields":{}},{"fields":{"phone":"1","phone":"2"}}]}', ['events[1].fields.phone']],
    ['[{"a, b":{},"a, b":{}},{"{\\"":1,"{\\"":2}]', ['[0].a, b', '[1].{"']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ])('of %s are named', (json, fields) => {
    expect(duplicatesOf(json)).toEqual(fields);
  });

  it.each(['{"a":1,"A":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', '[]', '{"a":{},"b":[[],{}]}', '"a"', '{"__proto__":1}'])(
    'are none in %s',
    (json) => {
      expect(duplicatesOf(json)).toEqual([]);
    },
  );

  it('are named a few times at most', () => {
    const pairs = Array.from({ length: 50 }, (_, nth) => `"k${nth}":1,"k${nth}":2`);
    expect(duplicatesOf(`{${pairs.join(',')}}`)).toHaveLength(10);
  });
});

describe('a request with such keys', () => {
  const api = runTestApi();
  const tenant = tenantPerTest(() => makeTenant(api.database));
  const company = '{"companyName":"Acme","companyType":1,"ownerResourceID":1,"phone":"1","phone":"2"}';
  const message = 'phone is given more than once, and JSON keeps the last value alone: give it once';
  const create = (path: string) =>
    api.call('POST', path, { as: tenant.source, body: company, headers: { 'Content-Type': 'application/json' } });

  it('is answered with a warning, and refused for strict callers', async () => {
    expect(await create('/Companies?strict=true')).toMatchObject({
      status: 400,
      body: { details: [{ code: 'duplicateKey', field: 'phone', message }] },
    });
    expect((await create('/Companies')).body).toEqual({ itemId: expect.any(Number), warnings: [message] });
  });
});
