import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AppProcess,
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  openForTest,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
  type ReceivedRequest,
  type ScriptedMailServer,
  startScriptedMailServer,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';
import { signingKeyRow } from '@callout/database/fixtures/signing-key-row';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { leaksIn, type Secrets } from './leaks.ts';

const secret = (what: string) => `${what}-${randomBytes(12).toString('hex')}`;
const databasePassword = secret('database');
const smtp = { user: 'callout', password: secret('smtp') };
const operatorToken = secret('operator');
const firstKey = secret('webhook');
const secondKey = secret('changed');
const rotatedKey = secret('rotated');
/** What webhooks show to their receivers. */
const [headerValue, password, clientSecret, issuedToken] = ['header', 'password', 'client', 'issued'].map(secret) as [
  string,
  string,
  string,
  string,
];
/** A wrong secret, one typing error away from the right one. */
const guess = secret('guess');
const otherRing = randomBytes(32).toString('base64');

const stops: (() => Promise<void>)[] = [];
/** Every response, mail and call, by its kind. */
const responses: { what: string; text: string }[] = [];
let setup: CalloutSetup;
let tenant: TenantUnderTest;
let mailServer: ScriptedMailServer;
let api: AppProcess;
let workerPort: number;
let settings: Record<string, string>;
/** Made by the API when a webhook is to be signed with it. */
let privateKey: string;

beforeAll(async () => {
  const [{ url, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(drop, redis.cleanUp);
  mailServer = await startScriptedMailServer({ credentials: smtp });
  stops.push(() => mailServer.stop());
  const databaseUrl = await withOwnPassword(url);
  settings = {
    LOG_LEVEL: 'trace',
    RETRY_SCHEDULE: '10ms',
    MAIL_FROM: 'callout@example.com',
    MAIL_GATHER: '0',
    OPERATOR_PORT: '0',
    OPERATOR_TOKEN: operatorToken,
    SMTP_URL: `smtp://${smtp.user}:${smtp.password}@127.0.0.1:${mailServer.port}?tls=off`,
  };
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  api = setup.installation.start('api', 'API');
  const worker = setup.installation.start('worker', 'worker');
  [workerPort] = await Promise.all([worker.ready(), api.ready()]);
  tenant = await setup.tenant();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** The same database under a user with a password that can be searched for. */
async function withOwnPassword(url: string): Promise<string> {
  const database = openForTest(url);
  const user = `leak_${randomBytes(6).toString('hex')}`;
  await database.pool.query(`CREATE ROLE ${user} LOGIN SUPERUSER PASSWORD '${databasePassword}'`);
  stops.push(async () => {
    await database.pool.query(`DROP ROLE IF EXISTS ${user}`);
    await database.close();
  });
  const own = new URL(url);
  [own.username, own.password] = [user, databasePassword];
  return own.href;
}

/** Receivers and token endpoints are given these, and nobody else. */
const ofReceivers = {
  'value of a header': headerValue,
  'password at a receiver': password,
  'secret of a client': clientSecret,
  'token of a receiver': issuedToken,
};

function secrets(): Secrets {
  return {
    ...ofReceivers,
    'database password': databasePassword,
    'SMTP password': smtp.password,
    'operator token': operatorToken,
    'key ring': setup.installation.secretKeys.slice('k1:'.length),
    'other key ring': otherRing,
    'key of the webhook': firstKey,
    'key it was changed to': secondKey,
    'key it was rotated to': rotatedKey,
    'wrong guess': guess,
    'private key of the tenant': privateKey.slice('whsk_'.length),
    'private key as JWK has it': Buffer.from(privateKey.slice('whsk_'.length), 'base64')
      .subarray(0, 32)
      .toString('base64url'),
    'secret of the integrator': tenant.integrator.secret,
    'secret of the source': tenant.source.secret,
    'secret of the admin': tenant.admin.secret,
    'code of the integrator': tenant.integrator.apiIntegrationCode,
  };
}

/** Decrypts it as a worker does. */
async function readPrivateKey(): Promise<string> {
  const { installation, database } = setup;
  const { tenantId } = await database.prisma.webhook.findFirstOrThrow();
  const row = await signingKeyRow(database.pool, tenantId);
  if (row === undefined) throw new Error('the tenant has no key pair');
  return KeyRing.parse(installation.secretKeys).decrypt(row, secretAad(tenantId, row.id));
}

interface Asking {
  as?: Partial<TenantUnderTest['integrator']>;
  body?: unknown;
}

/** Calls the API, as the integrator by default, and keeps the response with its headers. */
async function ask(method: string, path: string, { as = {}, body }: Asking = {}): Promise<number> {
  const { userName, secret: given, apiIntegrationCode } = { ...tenant.integrator, ...as };
  const response = await fetch(`http://127.0.0.1:${await api.ready()}${path}`, {
    method,
    headers: {
      UserName: userName,
      Secret: given,
      ApiIntegrationCode: apiIntegrationCode,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const headers = JSON.stringify([...response.headers]);
  responses.push({ what: `${method} ${path.split('?')[0]}`, text: `${headers} ${await response.text()}` });
  return response.status;
}

const v1 = '/atservicesrest/v1.0';
const webhooks = `${v1}/CompanyWebhooks`;

describe('the bytes of a secret', () => {
  it('appear nowhere when the service is used as intended', async () => {
    const { receiver, database } = setup;
    const port = await api.ready();
    receiver.script('/fails', { status: 500, body: 'no' });
    for (const path of ['/takes', '/fails']) {
      const url = receiver.url(path);
      await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, name: path, secretKey: firstKey, url });
    }
    receiver.script('/token', { status: 200, body: JSON.stringify({ access_token: issuedToken, expires_in: 60 }) });
    receiver.script('/refuses', { status: 400, body: JSON.stringify({ error: clientSecret }) });
    // Servers for tests of requests send back what they get.
    const echo = ({ headers }: ReceivedRequest) => ({
      status: 200,
      headers: { 'X-Echo': String(headers.authorization) },
      body: JSON.stringify(headers),
    });
    for (const path of ['/echo', '/echo2']) receiver.script(path, echo);
    const requestHeaders = [{ name: 'X-Api-Key', value: headerValue }];
    const oauth2 = { kind: 'oauth2', clientId: 'callout', clientSecret };
    for (const [path, receiverAuth] of [
      ['/echo', { ...oauth2, tokenUrl: receiver.url('/token') }],
      ['/echo2', { kind: 'basic', userName: 'callout', password }],
      ['/never', { ...oauth2, clientAuthentication: 'client_secret_post', tokenUrl: receiver.url('/refuses') }],
    ] as const) {
      const url = receiver.url(path);
      const id = await registerWebhook(port, tenant.integrator, {
        ...everyCompanyEvent,
        name: path,
        secretKey: firstKey,
        url,
      });
      expect(await ask('PATCH', `${webhooks}/${id}`, { body: { requestHeaders, receiverAuth } })).toBe(200);
    }
    const signed = { name: 'signed', secretKey: firstKey, url: receiver.url('/signed') };
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, ...signed });
    expect(await ask('PATCH', `${webhooks}/6`, { body: { signatureKind: 'both' } })).toBe(200);
    privateKey = await readPrivateKey();
    await createCompanies(port, tenant.source, { first: 1, count: 3 });
    await eventually(() => receiver.count('/takes') === 3 && receiver.count('/fails') === 6);
    expect(await ask('PATCH', `${webhooks}/1`, { body: { secretKey: secondKey } })).toBe(200);
    await ask('POST', `${webhooks}/1/rotateSecret`, { body: { secretKey: rotatedKey, overlapHours: 1 } });
    await createCompanies(port, tenant.source, { first: 4, count: 1 });
    await eventually(() => receiver.count('/takes') === 4 && mailServer.mails().length > 0);
    for (const path of [
      webhooks,
      `${webhooks}/1`,
      ...[3, 4, 5].flatMap((id) => [`${webhooks}/${id}`, `${webhooks}/${id}/Callouts`, `${webhooks}/${id}/readiness`]),
      `${webhooks}/1/Callouts`,
      `${webhooks}/1/Changes`,
      `${v1}/Changes`,
      `${webhooks}/1/readiness`,
      `${webhooks}/entityInformation/fields`,
      `${webhooks}/query?search=${encodeURIComponent('{"filter":[{"op":"exist","field":"id"}]}')}`,
      `${v1}/Callouts`,
      `${v1}/WebhookKeys`,
      `${webhooks}/6`,
      `${v1}/EntityEvents/query`,
      `${v1}/WebhookEventErrorLogs`,
      `${v1}/ThresholdInformation`,
      `${v1}/zoneInformation?user=${encodeURIComponent(tenant.integrator.userName)}`,
      '/openapi.json',
      '/docs',
      '/docs/api',
      '/healthz',
      '/readyz',
    ]) {
      await ask('GET', path);
      await ask('GET', path, { as: tenant.admin });
    }
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      const response = await fetch(`http://127.0.0.1:${workerPort}${path}`);
      responses.push({ what: `worker ${path}`, text: await response.text() });
      expect(response.status).toBe(200);
    }
    await eventually(async () => (await database.prisma.openCallout.count()) === 0);
  });

  it('appear nowhere when the service is used wrongly', async () => {
    const wrong: [string, string, Asking][] = [
      ['GET', `${webhooks}/1`, { as: { secret: guess } }],
      ['GET', `${webhooks}/1`, { as: { apiIntegrationCode: guess } }],
      ['GET', `${webhooks}/1`, { as: { secret: `${tenant.integrator.secret}x` } }],
      ['GET', `${webhooks}/1`, { as: { userName: 'unknown@example.com', secret: guess } }],
      ['GET', `${webhooks}/1?secret=${guess}`, {}],
      ['GET', `${webhooks}/query?search=${encodeURIComponent(JSON.stringify({ filter: guess }))}`, {}],
      ['POST', webhooks, { body: `{"secretKey":"${guess}"` }],
      ['POST', webhooks, { body: `{"secretKey":${guess}}` }],
      ['POST', webhooks, { body: { secretKey: guess } }],
      ['POST', webhooks, { body: { secretKey: `${guess}${'x'.repeat(64)}` } }],
      ['POST', webhooks, { body: { secretKey: `${guess}\n` } }],
      ['POST', webhooks, { body: { secretKey: { text: guess } } }],
      ['POST', webhooks, { body: { secretKey: [guess], SECRETKEY: guess } }],
      ['PATCH', `${webhooks}/1`, { body: { secretKey: `${guess}${'x'.repeat(64)}` } }],
      ['POST', webhooks, { body: { requestHeaders: [{ name: 'X-A', value: `${guess}\r\nX: y` }] } }],
      ['PATCH', `${webhooks}/1`, { body: { requestHeaders: [{ name: 'X-A', value: `${guess}\n` }] } }],
      ['PATCH', `${webhooks}/1`, { body: { receiverAuth: { kind: 'bearer', token: `${guess} ` } } }],
      ['PATCH', `${webhooks}/1`, { body: { receiverAuth: { kind: guess } } }],
      ['PATCH', `${webhooks}/1`, { body: { receiverAuth: { kind: 'mtls', certificate: guess, privateKey: guess } } }],
      ['PATCH', `${webhooks}/1`, { body: { caCertificate: guess } }],
      ['PATCH', `${webhooks}/3`, { body: { webhookUrl: 'http://127.0.0.1:9/' } }],
      ['PATCH', `${webhooks}/999`, { body: { secretKey: guess } }],
      ['PATCH', webhooks, { body: { id: 1, webhookUrl: `https://user:${guess}@hooks.example.com/` } }],
      ['POST', `${webhooks}/1/rotateSecret`, { body: { secretKey: guess, overlapHours: 999 } }],
      ['POST', `${webhooks}/query`, { body: { filter: [{ op: 'eq', field: 'secretKey', value: firstKey }] } }],
    ];
    for (const [method, path, asking] of wrong) expect(await ask(method, path, asking)).toBeLessThan(500);
    for (const given of [guess, operatorToken]) {
      // The API's own port: the operator's listens elsewhere, and its token opens nothing here.
      const headers = { Authorization: `Bearer ${given}` };
      const response = await fetch(`http://127.0.0.1:${await api.ready()}/operator/v1/tenants`, { headers });
      responses.push({ what: 'operator', text: await response.text() });
    }
  });

  it('are in what a worker says that has another key ring, or is not let in by the mail server', async () => {
    const { installation, receiver, database } = setup;
    const [, healthy] = installation.processes();
    await healthy?.signal('SIGTERM');
    // The mail that went out before is due once more.
    const { notification } = database.prisma;
    await notification.updateMany({ data: { state: 'waiting', dueAt: new Date(0), lastError: null } });
    const SMTP_URL = `smtp://${smtp.user}:${guess}@127.0.0.1:${mailServer.port}`;
    const [odd, without] = ['k1', 'k2'].map((id) =>
      installation.start('worker', `worker with another ${id}`, {
        SMTP_URL,
        SECRET_KEYS: `${id}:${otherRing}${id === 'k1' ? '' : ',k1:lost'}`,
      }),
    );
    if (odd === undefined || without === undefined) throw new Error('two workers were to be started');
    const refused = installation.start('worker', 'worker without k1', { SECRET_KEYS: `k2:${otherRing}` });
    expect((await refused.exit).code).toBe(1);
    expect(refused.output()).toContain('SECRET_KEYS lacks the key k1');
    const mails = mailServer.mails().length;
    const [, workerPort] = await Promise.all([odd.ready(), without.ready()]);
    const [ready, metrics] = await Promise.all(
      ['readyz', 'metrics'].map(async (path) => (await fetch(`http://127.0.0.1:${workerPort}/${path}`)).text()),
    );
    expect(ready).toContain('SECRET_KEYS lacks the key k1');
    expect(metrics).toMatch(/\ncallout_unreadable_secrets [1-9]/);
    await registerWebhook(await api.ready(), tenant.integrator, {
      ...everyCompanyEvent,
      secretKey: firstKey,
      url: receiver.url('/encrypted'),
    });
    await createCompanies(await api.ready(), tenant.source, { first: 5, count: 5 });
    await eventually(() =>
      [odd, without].some((process) =>
        process.log().some(({ msg }) => msg === 'attempt not made: its target could not be read'),
      ),
    );
    await eventually(async () => (await notification.count({ where: { lastError: { not: null } } })) > 0);
    expect([receiver.count('/encrypted'), mailServer.mails().length]).toEqual([0, mails]);
  });

  it('are in any row of the database as they are', async () => {
    const { pool } = setup.database;
    const { rows: tables } = await pool.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    );
    const { 'code of the integrator': _public, ...hidden } = secrets();
    const leaks: string[] = [];
    for (const { name } of tables) {
      const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM "${name}" AS t`);
      for (const { text } of rows) leaks.push(...leaksIn(text, hidden).map((secretName) => `${name}: ${secretName}`));
    }
    expect(leaks).toEqual([]);
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['webhooks', 'credentials', 'attempts']));
  });

  it('are in any line of any process, in any response, mail or call', () => {
    const { installation, receiver } = setup;
    const outputs = installation.processes().map((process) => ({ what: process.name, text: process.output() }));
    const mails = mailServer.mails().map((mail, nth) => ({ what: `mail ${nth}`, text: JSON.stringify(mail) }));
    const calls = receiver
      .requests()
      .map(({ headers, body }) => ({ what: 'call', text: `${JSON.stringify(headers)} ${body.toString()}` }));
    const leaks = [...outputs, ...responses, ...mails].flatMap(({ what, text }) =>
      leaksIn(text, secrets()).map((name) => `${what}: ${name}`),
    );
    const known = new Set(Object.keys(ofReceivers));
    const others = Object.fromEntries(Object.entries(secrets()).filter(([name]) => !known.has(name)));
    leaks.push(...calls.flatMap(({ what, text }) => leaksIn(text, others).map((name) => `${what}: ${name}`)));
    expect(leaks).toEqual([]);
    expect(calls.some(({ text }) => text.includes(issuedToken) && text.includes(headerValue))).toBe(true);
    // And there was something to search: lines of each level, refusals and successes.
    expect(outputs.length).toBe(5);
    expect(responses.some(({ text }) => text.includes('"errors"'))).toBe(true);
    expect(mails.length).toBeGreaterThan(0);
    expect(calls.length).toBeGreaterThan(5);
  });
});
