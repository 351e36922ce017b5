import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOperatorClient } from '@callout/client';
import { memoryDirectory } from '@callout/local/test-run';
import { type Call, callApi, eventually, type Reply } from '@callout/testing';
import { launch, type Announcement, type Launched } from './launcher.fixture.ts';
import { createOutput } from './output.ts';
import { runThenStop } from './run-then-stop.ts';
import { start as startHere } from './start.ts';

let home: string;
let dataDir: string;
const launched: Launched[] = [];

beforeAll(async () => {
  // A path that has to be quoted everywhere.
  home = await mkdtemp(path.join(memoryDirectory(), "callout cli's "));
  await chmod(home, 0o711); // as root, the user that PostgreSQL runs as has to pass
  dataDir = path.join(home, 'data');
});

afterAll(async () => {
  for (const { signal } of launched) signal('SIGTERM');
  await Promise.all(launched.map(({ ended }) => ended));
  await rm(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): Launched {
  const made = launch(['start', '--json'], { CALLOUT_DATA_DIR: dataDir, ...env });
  launched.push(made);
  return made;
}

function request(
  { api, credentials }: Announcement,
  role: keyof Announcement['credentials'],
  method: Call['method'],
  path: string,
  body?: unknown,
): Promise<Reply> {
  return callApi(Number(new URL(api).port), credentials[role], { method, path, body });
}

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

const webhook = (receiver: string, secretKey: string) => ({
  name: 'test.Company.Any',
  webhookUrl: `${receiver}/in`,
  deactivationUrl: `${receiver}/off`,
  secretKey,
  isActive: true,
  isSubscribedToUpdateEvents: true,
  fields: [{ field: 'phone', isSubscribedField: true }],
});

const company = { companyName: 'Northwind', companyType: 1, ownerResourceID: 1, phone: '1' };

/** The output of `npm start` when it does not start; in this process, as it gets no further than that. */
async function refusalOf(directory: string, env: Record<string, string> = {}): Promise<string> {
  const lines: string[] = [];
  const out = createOutput({ stdout: new PassThrough(), stderr: new PassThrough(), env: {} });
  const stop = new AbortController().signal;
  const outcome = await runThenStop({ report: (line) => void lines.push(line) }, true, (stops) =>
    startHere({ env, out, stop, stops, dataDirectory: directory }, { json: true, isDevelopment: false }),
  );
  expect(outcome).toBe('failed');
  return lines.join('\n');
}

/** The mails that were caught, the newest first. */
async function textsOfMail({ mail }: Announcement): Promise<string[]> {
  const { items } = (await (await fetch(`${mail}/messages`)).json()) as { items: { text: string }[] };
  return items.map(({ text }) => text);
}

/** Listens at the address of a service, until it is stopped. */
async function takePlaceOf(url: string): Promise<() => void> {
  const server = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  return () => void server.close();
}

it('starts, does the main job, stops, and knows everything after the next start, beside what has one of its addresses; a kill -9 leaves nothing running', async () => {
  const first = start({ API_PORT: '0', OPERATOR_PORT: '0' });
  const services = await first.announced;
  expect(Object.keys(services)).toEqual([
    'api',
    'receiver',
    'mail',
    'databaseUrl',
    'redisUrl',
    'credentials',
    'worker',
    'operator',
    'console',
  ]);
  expect((await fetch(`${services.worker}/readyz`)).status).toBe(200);
  expect(Object.keys(services.credentials)).toEqual(['integrator', 'source', 'admin']);
  expect(services.api).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/atservicesrest\/v1\.0$/);
  const given = JSON.stringify({ secretKey: 'given to the receiver' });
  expect((await fetch(`${services.receiver}/secretKeys`, { method: 'PUT', body: given })).status).toBe(200);
  const ownFiles = ['key-ring', 'operator-token', 'credentials.json', 'receiver-secrets.json', 'curl-admin'];
  for (const name of [...ownFiles, 'api.log', 'worker.log']) {
    expect([name, (await stat(path.join(dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
  }

  const { operator, console: page } = services;
  const tenants = await createOperatorClient({ baseUrl: operator.url, token: operator.token }).GET('/tenants');
  expect(tenants.data).toMatchObject({ items: [{ name: 'demo' }] });
  // Where the page is not built there is nothing to sign in to.
  for (const link of Object.values(page?.links ?? {})) {
    const { origin, hash } = new URL(link);
    const signedIn = await fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Callout-Console': '1', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ link: hash.replace('#link=', '') }),
    });
    expect([link, signedIn.status]).toEqual([link, 200]);
  }

  const { webhookSecret } = JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8'));
  const hook = webhook(services.receiver, webhookSecret);
  await expect(request(services, 'integrator', 'POST', '/CompanyWebhooks', hook)).resolves.toMatchObject({
    status: 200,
  });
  await request(services, 'source', 'POST', '/Companies', company);
  await request(services, 'source', 'PATCH', '/Companies/1', { phone: '2' });
  await eventually(async () => {
    const { items } = (await (await fetch(`${services.receiver}/callouts`)).json()) as { items: unknown[] };
    expect(items).toEqual([
      expect.objectContaining({
        path: '/in',
        webhookSignature: 'verified',
        hookSignature: 'verified',
        body: expect.stringContaining('"Fields":{"Phone":"2"}'),
      }),
    ]);
  });
  await expect(fetch(`${services.mail}/messages`).then((inbox) => inbox.json())).resolves.toEqual({ items: [] });

  const goneAtOnce = { ...hook, name: 'gone at once', webhookUrl: `${services.receiver}/gone?status=410` };
  await request(services, 'integrator', 'POST', '/CompanyWebhooks', goneAtOnce);
  await request(services, 'source', 'PATCH', '/Companies/1', { phone: '3' });
  await eventually(async () => expect((await textsOfMail(services))[0]).toContain(`${new URL(services.api).origin}/`));

  expect(await refusalOf(dataDir)).toContain(`runs already: ${services.api}`);
  const { port } = new URL(services.api);
  expect(await refusalOf(path.join(home, 'other'), { API_PORT: port })).toContain(`API_PORT: port ${port} is taken`);

  first.signal('SIGTERM');
  expect(await first.ended).toMatchObject({ status: 0, stdout: `${JSON.stringify(services)}\n` });

  const leave = await takePlaceOf(services.mail);
  const again = start();
  const sameServices = await again.announced;
  leave();
  expect(sameServices.mail).not.toBe(services.mail);
  expect(sameServices).toMatchObject({
    api: services.api,
    receiver: services.receiver,
    worker: services.worker,
    credentials: services.credentials,
  });
  await expect(request(sameServices, 'admin', 'GET', '/Companies/1')).resolves.toMatchObject({
    status: 200,
    body: { item: { phone: '3' } },
  });
  const gone = webhook(services.receiver, 'given to the receiver');
  Object.assign(gone, { name: 'gone.Company.Update', webhookUrl: `${services.receiver}/in?status=410` });
  await request(sameServices, 'integrator', 'POST', '/CompanyWebhooks', gone);
  await request(sameServices, 'source', 'PATCH', '/Companies/1', { phone: '4' });
  // Its mail names addresses at which this API responds.
  await eventually(async () =>
    expect((await textsOfMail(sameServices))[0]).toContain(`${new URL(services.api).origin}/`),
  );
  await eventually(async () => {
    const { items } = (await (await fetch(`${services.receiver}/callouts`)).json()) as { items: unknown[] };
    expect(items).toContainEqual(expect.objectContaining({ path: '/in?status=410', hookSignature: 'verified' }));
  });

  again.signal('SIGKILL');
  const { api, databaseUrl, redisUrl } = sameServices;
  await eventually(async () => {
    expect(await Promise.all([api, databaseUrl, redisUrl].map(isListening))).toEqual([false, false, false]);
    // The worker has no address in there; it reports when it is done.
    for (const name of ['api.log', 'worker.log']) {
      expect(await readFile(path.join(dataDir, name), 'utf8')).toContain('"msg":"stopped"');
    }
  });
});
