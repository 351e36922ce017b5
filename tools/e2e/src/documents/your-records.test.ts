import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { callApi, eventually, useCallout } from '@callout/testing';
import { codeBlocks, root } from './pages.fixture.ts';
import { curlRequest, shellCommands } from './shell-commands.fixture.ts';

// What docs/your-records.md shows is done here, from top to bottom.
const blocks = codeBlocks(readFileSync(path.join(root, 'docs/your-records.md'), 'utf8'));
const commands = blocks.filter(({ info }) => info === 'sh').flatMap(({ code }) => shellCommands(code));
const [file = ''] = blocks.filter(({ info }) => info === 'json').map(({ code }) => code);

const directory = mkdtempSync(path.join(tmpdir(), 'callout-records-'));
afterAll(() => rmSync(directory, { recursive: true }));

function admin(command: string): string[] {
  return commands
    .filter(({ words }) => words.slice(0, 5).join(' ') === `npx callout admin catalogue ${command}`)
    .map(({ words }) =>
      execFileSync(process.execPath, [path.join(root, 'packages/cli/bin/callout.js'), ...words.slice(2)], {
        cwd: directory,
        encoding: 'utf8',
        env: {},
      }),
    );
}

const outputs: Record<string, readonly string[]> = {};
let madeFile: object = {};
const callout = useCallout(() => {
  outputs['init'] = admin('init');
  const orders = path.join(directory, 'catalogue/orders.json');
  madeFile = JSON.parse(readFileSync(orders, 'utf8')) as object;
  writeFileSync(orders, file);
  outputs['check'] = admin('check');
  return { CATALOGUE_DIR: path.join(directory, 'catalogue') };
});

it('writes and checks the file of docs/your-records.md', () => {
  expect(outputs).toEqual({
    init: [expect.stringContaining('catalogue/orders.json is written')],
    check: [expect.stringMatching(/^Order +Orders +OrderWebhooks +4$/mu)],
  });
  expect(JSON.parse(file)).toMatchObject({ $schema: './catalogue.schema.json', entityType: 'Order' });
  expect(Object.keys(JSON.parse(file) as object)).toEqual(Object.keys(madeFile));
});

it('makes callouts of orders, as docs/your-records.md shows', async () => {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant, { collection: 'OrderWebhooks', isActive: false });
  const requests = commands.filter(({ words }) => words[0] === 'curl').map(({ words }) => curlRequest(words));
  for (const { method, url, body, role } of requests) {
    if (role === undefined || body === undefined) continue;
    const reply = await callApi(Number(new URL(callout.url).port), tenant[role as 'integrator' | 'source'], {
      method: method as 'POST',
      path: url.slice(url.indexOf('/v1.0') + '/v1.0'.length),
      body: JSON.parse(body.replaceAll('http://127.0.0.1:8090/callouts', webhook.url)) as object,
    });
    expect([url, reply]).toEqual([url, expect.objectContaining({ kind: 'answered' })]);
  }
  const ofPage = () => webhook.requests().map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>);
  await eventually(() => expect(ofPage()).toHaveLength(2));
  expect(ofPage()).toEqual([
    expect.objectContaining({ EntityType: 'Order', Action: 'Create', Fields: { Status: 'open', Total: '19.9' } }),
    expect.objectContaining({ Action: 'Update', Fields: { Status: 'paid', Total: '19.9' } }),
  ]);
  expect(admin('diff')).toEqual([expect.stringContaining('Nothing changes')]);
});
