import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { callApi, everyCompanyEvent, eventually, forThisFile, registerWebhook, testRedis } from '@callout/testing';
import { callout } from '../one-callout.fixture.ts';
import { type ExampleReceiver, runExample, startExample } from './example-program.fixture.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);
const folder = forThisFile(makeFolder, ({ directory }) => rm(directory, { recursive: true }));

/** The examples of the README as files, in a folder where Node finds the packages. */
async function makeFolder() {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-examples-'));
  await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  const readme = await readFile(path.join(root, 'packages/receiver/README.md'), 'utf8');
  const example = (heading: string, language = 'js') => {
    const [, section = ''] = readme.split(`\n## ${heading}\n`);
    const [, code] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'msu').exec(section.split('\n## ')[0] ?? '') ?? [];
    if (code === undefined) throw new Error(`The README has no ${language} example under "${heading}".`);
    return code;
  };
  const write = async (name: string, text: string) => {
    await writeFile(path.join(directory, name), text);
    return path.join(directory, name);
  };
  await write('receiver.mjs', example('The receiver'));
  /** A program that serves the receiver under a heading, as the example for Node does. @returns its file */
  const serve = async (name: string, heading: string) => {
    await write(`${name}.mjs`, example(heading));
    return write(`serve-${name}.mjs`, example('Node').replace('./receiver.mjs', `./${name}.mjs`));
  };
  return { directory, example, write, serve };
}

/** Serves the route of the Fetch example, as Next.js would. */
const ROUTE_SERVER = `
import { createServer } from 'node:http';
import { POST } from './route.mjs';
createServer(async (request, response) => {
  const chunks = await request.toArray();
  const body = request.method === 'POST' ? Buffer.concat(chunks) : undefined;
  const answer = await POST(new Request('http://receiver', { method: request.method, headers: request.headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(process.env.PORT, '127.0.0.1');`;

/** Sends the creation of a company from Callout to a receiver. */
async function sendCompanyTo(url: string): Promise<void> {
  const tenant = await callout.tenant();
  await registerWebhook(Number(new URL(callout.url).port), tenant.integrator, { ...everyCompanyEvent, url });
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
}

describe('the receiver in docs/receiving.md', () => {
  it('distinguishes a callout of a running Callout from another', async () => {
    const page = await readFile(path.join(root, 'docs/receiving.md'), 'utf8');
    const [, code = ''] = /^```js\n(.*?)^```$/msu.exec(page) ?? [];
    const file = await folder.write('plain.mjs', code.replace('listen(8091,', 'listen(process.env.PORT,'));
    const example = await startExample({
      command: process.execPath,
      args: [file],
      env: { SECRET_KEY: everyCompanyEvent.secretKey },
    });
    await sendCompanyTo(example.url);
    await eventually(() => expect(example.lines).toContainEqual(expect.stringMatching(/^genuine \{"Action":"Create"/)));
    expect((await fetch(example.url, { method: 'POST', body: '{}' })).status).toBe(401);
    await example.stop();
  });
});

/** Starts a receiver that gets KEYS_URL, and sends it a callout that Ed25519 alone signs. */
async function sendSignedCompanyTo(file: string): Promise<ExampleReceiver> {
  const tenant = await callout.tenant();
  const port = Number(new URL(callout.url).port);
  const others = { signatureKind: 'ed25519' };
  const id = await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: callout.url, others });
  const path = `/CompanyWebhooks/${id}`;
  const reply = await callApi(port, tenant.integrator, { method: 'GET', path });
  if (reply.kind !== 'answered') throw new Error('the webhook was not read');
  const { item } = reply.body as { item: { signingKeysUrl: string } };
  // The address begins with that of the zone; the API of the test listens on another port.
  const KEYS_URL = `${callout.url}${new URL(item.signingKeysUrl, callout.url).pathname}`;
  const example = await startExample({ command: process.execPath, args: [file], env: { KEYS_URL } });
  await callApi(port, tenant.integrator, { method: 'PATCH', path, body: { webhookUrl: example.url } });
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
  return example;
}

/** Headers with the present time and a forged signature. */
const forged = () => ({
  'webhook-id': 'forged',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1a,${Buffer.alloc(64, 1).toString('base64')}`,
});

describe('the receiver in docs/signatures.md', () => {
  it('distinguishes a callout that Ed25519 alone signed from another', async () => {
    const page = await readFile(path.join(root, 'docs/signatures.md'), 'utf8');
    const [, code = ''] = /^```js\n(.*?)^```$/msu.exec(page) ?? [];
    const file = await folder.write('keys.mjs', code.replace('listen(8091,', 'listen(process.env.PORT,'));
    const example = await sendSignedCompanyTo(file);
    await eventually(() => expect(example.lines).toContainEqual(expect.stringMatching(/^genuine \{"Action":"Create"/)));
    expect((await fetch(example.url, { method: 'POST', body: '{}', headers: forged() })).status).toBe(401);
    await example.stop();
  });
});

describe('the examples of packages/receiver/README.md', () => {
  it.each(['Node', 'Express', 'Fastify', 'Next.js, Deno, Bun, workers'])(
    '%s: receives a callout of a running Callout',
    async (heading) => {
      const isRoute = heading.startsWith('Next');
      const file = await folder.write(isRoute ? 'route.mjs' : `${heading}.mjs`, folder.example(heading));
      const example = await startExample({
        command: process.execPath,
        args: [isRoute ? await folder.write('serve.mjs', ROUTE_SERVER) : file],
        env: { SECRET_KEY: everyCompanyEvent.secretKey },
      });
      await sendCompanyTo(example.url);
      await eventually(() => expect(example.lines).toEqual(["Create Account 7 { CompanyName: 'Acme' }"]));
      const unsigned = await fetch(example.url, { method: 'POST', body: '{}' });
      expect(unsigned.status).toBe(401);
      await example.stop();
    },
  );

  it('Public keys in place of a secret: receives a callout that Ed25519 alone signed', async () => {
    const file = await folder.serve('public-keys', 'Public keys in place of a secret');
    const example = await sendSignedCompanyTo(file);
    await eventually(() => expect(example.lines).toEqual(["Create Account 7 { CompanyName: 'Acme' }"]));
    expect((await fetch(example.url, { method: 'POST', body: '{}', headers: forged() })).status).toBe(401);
    await example.stop();
  });

  it('Fetching instead of receiving: fetches a callout of a running Callout, and ends on SIGTERM', async () => {
    const tenant = await callout.tenant();
    const port = Number(new URL(callout.url).port);
    const own = { ...everyCompanyEvent, url: 'pull:', deactivationUrl: 'pull:' };
    const id = await registerWebhook(port, tenant.integrator, own);
    const { userName, secret, apiIntegrationCode } = tenant.integrator;
    const example = runExample({
      command: process.execPath,
      args: [await folder.write('consume.mjs', folder.example('Fetching instead of receiving'))],
      env: {
        WEBHOOK_URL: `${callout.url}/atservicesrest/v1.0/CompanyWebhooks/${id}`,
        CALLOUT_USER: userName,
        CALLOUT_SECRET: secret,
        CALLOUT_INTEGRATION_CODE: apiIntegrationCode,
      },
    });
    try {
      await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
      await eventually(() => expect(example.lines).toEqual(["Create Account 7 { CompanyName: 'Acme' }"]));
      example.signal('SIGTERM');
      expect([await example.ended, example.errors]).toEqual([0, []]);
    } finally {
      await example.stop();
    }
  });

  const formats = ['reference', 'typed', 'cloudevents'] as const;
  it.each(formats)(
    'Missing callouts, %s: names the number that never came, until it is redelivered',
    async (format) => {
      const tenant = await callout.tenant();
      const port = Number(new URL(callout.url).port);
      const url = 'http://127.0.0.1:8899/';
      const id = await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url });
      const api = (method: 'GET' | 'PATCH' | 'POST', rest: string, body?: object) =>
        callApi(port, tenant.integrator, { method, path: `/CompanyWebhooks/${id}${rest}`, body });
      const { body } = (await api('GET', '')) as { body: { item: { webhookGUID: string } } };
      const example = await startExample({
        command: process.execPath,
        args: [await folder.serve('ledger', 'Missing callouts')],
        env: {
          SECRET_KEY: everyCompanyEvent.secretKey,
          WEBHOOK_GUID: body.item.webhookGUID,
          CHECK_EVERY_MS: '100',
        },
      });
      await api('PATCH', '', { webhookUrl: example.url, payloadFormat: format });
      const change = { entityType: 'Account', action: 'Create', fields: { companyName: 'Acme' } };
      await callout.send(tenant, { ...change, id: 7 });
      await eventually(() => expect(example.lines).toEqual(["Create Account 7 { CompanyName: 'Acme' }"]));
      await api('PATCH', '', { webhookUrl: 'pull:' });
      await callout.send(tenant, { ...change, id: 8 });
      await eventually(async () => {
        expect(await api('POST', '/cancel', { fromSequence: 2 })).toMatchObject({ body: { cancelled: 1 } });
      });
      await api('PATCH', '', { webhookUrl: example.url });
      await callout.send(tenant, { ...change, id: 9 });
      await eventually(() => expect(example.lines).toContain('missing 2-2'));
      await api('POST', '/redeliver', { fromSequence: 2, toSequence: 2, states: ['cancelled'] });
      await eventually(async () => {
        const { body: list } = (await api('GET', '/Callouts?state=delivered')) as { body: { items: unknown[] } };
        expect(list.items).toHaveLength(3);
      });
      expect(example.lines).toContain("Create Account 8 { CompanyName: 'Acme' }");
      await callout.send(tenant, { ...change, id: 10 });
      await eventually(() => expect(example.lines).toContain("Create Account 10 { CompanyName: 'Acme' }"));
      const [, after] = example.lines.join('\n').split('Create Account 10');
      expect(after).not.toContain('missing');
      await example.stop();
    },
  );

  it('Only the signature: distinguishes a genuine callout from another', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    const [request] = webhook.requests();
    await folder.write('is-genuine.mjs', folder.example('Only the signature'));
    const asking = await folder.write(
      'ask.mjs',
      `import { isGenuine } from './is-genuine.mjs';
       const { body, headers } = JSON.parse(process.argv[2]);
       console.log(await isGenuine(body, headers), await isGenuine(body + ' ', headers));`,
    );
    const { stdout } = await run(
      process.execPath,
      [asking, JSON.stringify({ body: String(request?.body), headers: request?.headers })],
      { env: { SECRET_KEY: everyCompanyEvent.secretKey } },
    );
    expect(stdout).toBe('true false\n');
  });

  it('Checking bodies: refuses what is not in the schema that the webhook had', async () => {
    const tenant = await callout.tenant();
    const port = Number(new URL(callout.url).port);
    const webhook = await callout.webhook(tenant);
    const schema = await callApi(port, tenant.integrator, {
      method: 'GET',
      path: `/CompanyWebhooks/${webhook.id}/PayloadSchema`,
    });
    const file = await folder.write('schema.json', JSON.stringify((schema as { body?: unknown }).body));
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    await callApi(port, tenant.integrator, {
      method: 'PATCH',
      path: `/CompanyWebhooks/${webhook.id}`,
      body: { payloadFormat: 'typed' },
    });
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 8, fields: { companyName: 'Acme' } });
    await eventually(() => expect(webhook.requests()).toHaveLength(2));
    await folder.write(
      'checking.mjs',
      folder.example('Checking bodies').replace("'schema.json'", JSON.stringify(file)),
    );
    const asking = await folder.write(
      'receive.mjs',
      `import { receiver } from './checking.mjs';
       for (const { body, headers } of JSON.parse(process.argv[2])) {
         console.log((await receiver.receive(body, headers)).body);
       }`,
    );
    const requests = webhook.requests().map(({ body, headers }) => ({ body: String(body), headers }));
    const { stdout } = await run(process.execPath, [asking, JSON.stringify(requests)], {
      env: { SECRET_KEY: everyCompanyEvent.secretKey },
    });
    const [handled, received, refused] = stdout.split('\n');
    expect([handled, received]).toEqual(["Create Account 7 { CompanyName: 'Acme' }", '{"received":true}']);
    expect(refused).toContain('"error":"unexpected_body"');
  });

  it('Types: compiles, as the examples in TypeScript do, and refuses a field that the webhook does not send', async () => {
    const right = await folder.write('types.mts', folder.example('Types', 'ts'));
    const wrong = await folder.write('wrong.mts', folder.example('Types', 'ts').replace('Fields.Phone', 'Fields.Fax'));
    const compile = async (...files: string[]) =>
      run(process.execPath, [
        path.join(root, 'node_modules/typescript/bin/tsc'),
        ...'--noEmit --strict --ignoreConfig --module nodenext --target es2023 --types node --typeRoots'.split(' '),
        path.join(root, 'node_modules/@types'),
        ...files,
      ]).then(
        () => '',
        (error: { stdout?: string }) => String(error.stdout),
      );
    const examples = ['express/receiver.ts', 'fastify/receiver.ts', 'consumer/consumer.ts'].map((file) =>
      path.join(root, `examples/typescript-${file}`),
    );
    const problems = await compile(right, wrong, ...examples);
    expect(problems).toMatch(/wrong\.mts.*'Fax' does not exist/u);
    expect(problems.split('\n').filter((line) => /^\S/u.test(line) && !line.includes('wrong.mts'))).toEqual([]);
  });

  it('Repeats, with several processes: a callout is new to one of them', async () => {
    await folder.write('repeat-store.mjs', folder.example('Repeats, with several processes'));
    const redis = await testRedis();
    const asking = await folder.write(
      'repeats.mjs',
      `import { Redis } from 'ioredis';
       import { createRedisRepeatStore } from './repeat-store.mjs';
       const redis = new Redis(process.argv[2], { keyPrefix: process.argv[3] });
       const [one, other] = [createRedisRepeatStore(redis), createRedisRepeatStore(redis)];
       const states = await Promise.all([one.begin('a'), other.begin('a')]);
       await one.forget('a');
       states.push(await other.begin('a'));
       await other.done('a');
       states.push(await one.begin('a'));
       console.log(states.join(' '), await redis.ttl('callout:a'));
       redis.disconnect();`,
    );
    const { stdout } = await run(process.execPath, [asking, redis.url, redis.prefix]);
    expect(stdout).toBe(`new running new done ${3 * 24 * 3600}\n`);
    await redis.cleanUp();
  });
});
