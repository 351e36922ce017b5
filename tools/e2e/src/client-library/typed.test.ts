import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { createClient, createOperatorClient } from '@callout/client';

const root = path.resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);
const folder = forThisFile(
  async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'callout-typed-'));
    await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
    return { directory };
  },
  ({ directory }) => rm(directory, { recursive: true }),
);

/** A client without a service, which records the addresses of its requests. */
function recorded() {
  const sent: string[] = [];
  const fetch = async ({ method, url }: Request) => {
    sent.push(`${method} ${url.slice('http://callout'.length)}`);
    return Response.json({ item: { id: 1, name: 'acme' }, items: [], itemId: 1 });
  };
  return {
    sent,
    client: createClient({ baseUrl: 'http://callout', fetch }),
    operator: createOperatorClient({ baseUrl: 'http://callout', fetch }),
  };
}

it('types paths, parameters, bodies and responses by the document, and data is always there', async () => {
  const { sent, client, operator } = recorded();
  const params = { path: { id: 1 } };
  const { data: webhook } = await client.GET('/v1.0/CompanyWebhooks/{id}', { params });
  const name: string | undefined = webhook.item.name;
  const { data: page } = await client.GET('/v1.0/Callouts', { params: { query: { state: 'failed', maxRecords: 5 } } });
  const ids: readonly string[] = page.items.map(({ id }) => id);
  const { data: made } = await client.POST('/v1.0/CompanyWebhooks', {
    body: { name: 'a', webhookUrl: 'pull:', deactivationUrl: 'pull:', secretKey: 'a secret', isActive: true },
  });
  const itemId: number = made.itemId;
  const { data: tenant } = await operator.GET('/tenants/{tenantId}', { params: { path: { tenantId: 1 } } });
  const tenantName: string = tenant.item.name;
  await client.PATCH('/v1.0/CompanyWebhooks', { body: { id: 1, name: 'b' } });
  await client.GET('/v1.0/ThresholdInformation');
  expect([name, ids, itemId, tenantName]).toEqual(['acme', [], 1, 'acme']);
  expect(sent).toEqual([
    'GET /v1.0/CompanyWebhooks/1',
    'GET /v1.0/Callouts?state=failed&maxRecords=5',
    'POST /v1.0/CompanyWebhooks',
    'GET /tenants/1',
    'PATCH /v1.0/CompanyWebhooks',
    'GET /v1.0/ThresholdInformation',
  ]);
});

it('refuses at compile time what the document does not have', async () => {
  const { sent, client } = recorded();
  const params = { path: { id: 1 } };
  // @ts-expect-error a path needs its parameters
  await client.GET('/v1.0/CompanyWebhooks/{id}');
  // @ts-expect-error no such path
  await client.GET('/v1.0/CompanyWebhook/{id}', { params });
  // @ts-expect-error no such method
  await client.DELETE('/v1.0/ThresholdInformation');
  // @ts-expect-error a query parameter that is a number
  await client.GET('/v1.0/Callouts', { params: { query: { maxRecords: 'all' } } });
  // @ts-expect-error a body that names no webhook
  await client.PATCH('/v1.0/CompanyWebhooks', { body: { name: 'a' } });
  // @ts-expect-error the name is text
  await client.PATCH('/v1.0/CompanyWebhooks/{id}', { params, body: { name: 1 } });
  // @ts-expect-error no such property in a response
  expect((await client.GET('/v1.0/CompanyWebhooks/{id}', { params })).data.item.title).toBeUndefined();
  expect(sent).toHaveLength(7);
});

const head = `import { createClient, listAll, queryAll } from '@callout/client';
const client = createClient({ baseUrl: 'http://callout' });
`;
/** The error, and the type that the compiler expects instead. */
const wrongPaths: readonly [statement: string, sentence: string][] = [
  ["client.GET('/v1.0/CompanyWebhook/{id}');", '"the API has no path /v1.0/CompanyWebhook/{id}"'],
  ["client.GET('/v1.0/CompanyWebhook/{id}', { params: {} });", '"the API has no path /v1.0/CompanyWebhook/{id}"'],
  ["client.GET('/CompanyWebhooks/{id}');", '"write /v1.0/CompanyWebhooks/{id}"'],
  ["client.GET('/v1.0/CompanyWebhooks/5');", '"write /v1.0/CompanyWebhooks/{id}"'],
  ["client.POST('/v1.0/CompanyWebhooks/5/test');", '"write /v1.0/CompanyWebhooks/{id}/test"'],
  ["client.DELETE('/v1.0/ThresholdInformation');", '"/v1.0/ThresholdInformation has no DELETE"'],
  ["client.GET('/v1.0/Callouts' as string);", '`the API has no path ${string}`'],
  ["listAll(client, '/v1.0/Callout');", '"the API has no path /v1.0/Callout"'],
  ["queryAll(client, '/v1.0/CompanyWebhooks', {});", '"/v1.0/CompanyWebhooks has no pages"'],
];

it.each([
  ['the newest TypeScript', 'node_modules/typescript'],
  ['the least TypeScript', 'tools/e2e/node_modules/typescript'],
])('a wrong path gives one short error that says what to write, in %s', async (name, compiler) => {
  const file = `wrong-${name.split(' ')[1]}.mts`;
  await writeFile(path.join(folder.directory, file), head + wrongPaths.map(([statement]) => `${statement}\n`).join(''));
  const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,dom.iterable --pretty false';
  const fewTypes = ['--skipLibCheck', '--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
  const args = [path.join(root, compiler, 'bin/tsc'), ...options.split(' '), ...fewTypes, file];
  const output = await run(process.execPath, args, { cwd: folder.directory }).then(
    () => '',
    (error: { stdout?: string }) => String(error.stdout),
  );
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^.*?parameter of type '|'\.$/gu, ''))).toEqual(
    wrongPaths.map(([, sentence]) => sentence),
  );
  for (const line of lines) expect(line.length).toBeLessThan(200);
});
