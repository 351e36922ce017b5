import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { inexactNumbers } from './inexact-numbers.ts';
import { countJsonValues } from './json-shape.ts';

const warningsOf = (json: string) => {
  const bytes = Buffer.from(json);
  const starts: number[] = [];
  countJsonValues(bytes, bytes.length, starts);
  return inexactNumbers(bytes, starts).map(({ field, message }) => [field, message]);
};

describe('unquoted digits that JSON loses', () => {
  it.each([
    ['{"assetValue":12345678901234567890}', 'assetValue'],
    ['{"a":"9007199254740993","b" : [ {"c,":1}, {"d\\"":-9007199254740993 }]}', 'b[1].d"'],
    ['[[1,2],[3,0.12345678901234567890]]', '[1][1]'],
    ['{"events":[{"fields":{"x":1}},{"fields":{"y":1e3,"z":10000000000000000000001}}]}', 'events[1].fields.z'],
    ['90071992547409930001', undefined],
    [`{"a":${'9'.repeat(10_000)}}`, 'a'],
  ])('of %s are named', (json, field) => {
    expect(warningsOf(json).map(([path]) => path)).toEqual([field]);
  });

  it.each([
    '{"a":9007199254740991,"b":"12345678901234567890"}',
    '[3.141592653589793, 0.1, 123456789012345000000, 1.00000000000000000000, 1e21]',
    '["a 12345678901234567890 b", 20251128000000000]',
  ])('are not those of %s', (json) => {
    expect(warningsOf(json)).toEqual([]);
  });

  it('are named a few times at most', () => {
    expect(warningsOf(`[${'12345678901234567890,'.repeat(1_500)}1]`)).toHaveLength(10);
  });
});

describe('a request with such digits', () => {
  const api = runTestApi();
  const tenant = tenantPerTest(() => makeTenant(api.database));
  const send = (method: string, path: string, text: string, headers: Record<string, string> = {}) =>
    api.call(method, path, {
      as: tenant.source,
      body: text,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const company =
    '{"companyName":"Acme","companyType":1,"ownerResourceID":1,"phone":"1","assetValue":12345678901234567890}';
  const warning =
    'assetValue has more digits than a number in JSON keeps, and 12345678901234567890 is read as 12345678901234567000: put it in quotes';

  it('is answered with a warning, also when it is repeated under its key, and refused for strict callers', async () => {
    const key = { 'Idempotency-Key': 'once' };
    for (let time = 0; time < 2; time += 1) {
      const { body } = await send('POST', '/Companies', company, key);
      expect(body).toEqual({ itemId: 1, warnings: [warning] });
    }
    expect(await send('POST', '/Companies?strict=true', company)).toMatchObject({
      status: 400,
      body: { details: [{ code: 'inexact', field: 'assetValue', message: warning }] },
    });
    const event = `{"entityType":"Account","action":"Update","id":1,"fields":{"assetValue":9007199254740993}}`;
    const batch = await send('POST', '/EntityEvents', `{"events":[${event}]}`);
    expect(batch).toMatchObject({
      status: 202,
      body: {
        items: [{ status: 'accepted' }],
        warnings: [expect.stringMatching(/^events\[0\]\.fields\.assetValue has more digits/u)],
      },
    });
  });
});
