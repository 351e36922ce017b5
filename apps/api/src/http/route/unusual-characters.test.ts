import { beforeAll, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { call } from '../../fixtures/test-api.ts';
import { makeWholeTenant, type WholeTenant } from '../../fixtures/whole-tenant.ts';
import type { OpenApiDocument } from '../../openapi/document-types.ts';
import { operationsOf, type DocumentedOperation } from '../../openapi/operations.fixture.ts';

const api = runTestApi({ API_REQUESTS_PER_HOUR: '0' });
let tenant: WholeTenant;
let document: OpenApiDocument;
/** Made from the routes that are served, so none is left out. */
let operations: DocumentedOperation[];

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
  const { body } = await call(`${api.url}/openapi.json`, 'GET');
  document = body as OpenApiDocument;
  operations = operationsOf(document);
});

/** U+0000 alone and within a text, which PostgreSQL refuses. */
const NULS = ['%00', 'a%00b'];
/** Half a surrogate pair, as bytes that are not UTF-8; rare but valid characters. */
const RARE = ['%ED%A0%80', '%EF%BF%BF%F0%9F%98%80%0A'];

/**
 * The calls: each placeholder and each query parameter in turn has an unusual value of both kinds, the others have a
 * usual one. The values of a kind take turns among the operations.
 */
function unusualCalls({ method, path, operation }: DocumentedOperation, nth: number) {
  const parameters = operation.parameters.flatMap((one) => {
    if ('name' in one) return [one];
    const shared = document.components.parameters[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)];
    if (shared === undefined) throw new Error(`${one.$ref} is not in the document`);
    return [shared];
  });
  const usual = (name: string) => {
    const [first = '1'] = (parameters.find((one) => one.name === name)?.schema['enum'] ?? []) as string[];
    return first;
  };
  const filled = (odd: string, value: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === odd ? value : usual(name)));
  return parameters
    .filter((one) => one.in === 'path' || one.in === 'query')
    .flatMap(({ name, in: place }) =>
      [NULS, RARE]
        .map((values) => values[nth % values.length] ?? '')
        .map((value) => ({
          method,
          path: filled(name, value) + (place === 'query' ? `?${name}=${value}` : ''),
          isNul: value.includes('%00'),
        })),
    );
}

describe('unusual characters in a path or its query', () => {
  it('are refused with 400 or 404 where they cannot be meant, and are no fault of the service anywhere', async () => {
    const calls = operations.flatMap(unusualCalls);
    expect(calls.length).toBeGreaterThan(500);
    const surprises: string[] = [];
    const ask = async ({ method, path, isNul }: (typeof calls)[number]) => {
      const url = `${api.url}/atservicesrest${path}`;
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const response = await call(url, method, { as: tenant.admin, body });
      const isPublic = path.includes('zoneInformation');
      const isRefused = response.status === 400 || response.status === 404;
      const hasEnvelope = Array.isArray((response.body as { errors?: unknown }).errors);
      const isFine = isRefused ? hasEnvelope : response.status < 400 && (!isNul || isPublic);
      if (!isFine) surprises.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    };
    const width = 20;
    for (let start = 0; start < calls.length; start += width) {
      await Promise.all(calls.slice(start, start + width).map(ask));
    }
    expect(surprises).toEqual([]);
  });

  it('are 404 in the name of an event, which the path holds, and 400 in a parameter, which is named', async () => {
    const get = (path: string) => api.call('GET', path, { as: tenant.admin });
    await expect(get('/EntityEvents/a%00b')).resolves.toMatchObject({ status: 404 });
    await expect(get('/EntityEvents/query?eventID=%00')).resolves.toMatchObject({
      status: 400,
      body: { details: [{ code: 'invalid', field: 'eventid' }] },
    });
  });
});
