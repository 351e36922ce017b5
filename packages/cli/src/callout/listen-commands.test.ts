import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type TenantUnderTest, useCallout } from '@callout/testing';
import { type Ran, runCommand } from './run-command.fixture.ts';

const callout = useCallout({ RETRY_SCHEDULE: '10ms,10ms,10ms', SWEEP_EVERY_MS: '50' });
const bin = path.resolve(import.meta.dirname, '../../bin/callout.js');

let home: string;
let tenant: TenantUnderTest;
let env: Record<string, string>;
let login: () => Promise<Ran>;
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
let answer = 200;
const receiver = createServer((request, response) => {
  void receive(request, response);
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push({ headers: request.headers, body: await text(request) });
  response.writeHead(answer).end();
}

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'callout-listen-'));
  env = { XDG_CONFIG_HOME: home };
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  tenant = await callout.tenant();
  const { userName, secret, apiIntegrationCode } = tenant.integrator;
  const curl = path.join(home, 'curl');
  const headers = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
  await writeFile(
    curl,
    Object.entries(headers)
      .map(([name, value]) => `header = "${name}: ${value}"\n`)
      .join(''),
  );
  login = () => runCommand(['login', '--url', `${callout.url}/atservicesrest`, '--curl-config', curl], env);
  await login();
});
afterAll(async () => {
  receiver.close();
  await rm(home, { recursive: true });
});

const forward = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

interface Listening {
  readonly child: ChildProcess;
  readonly output: () => string;
}

async function listening(...more: string[]): Promise<Listening> {
  const child = spawn(process.execPath, [bin, 'listen', '--forward', forward(), ...more], {
    env: { ...env, PATH: path.dirname(process.execPath) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part));
  await eventually(async () => (await callout.database.prisma.webhook.count({ where: live() })) === 1);
  return { child, output: () => output };
}

const live = () => ({ tenantId: tenant.id, deletedAt: null });
const company = (id: number, companyName: string) => ({
  entityType: 'Account',
  action: 'Update',
  id,
  fields: { companyName },
});

describe('callout login', () => {
  it('keeps a credential that only its user can read', async () => {
    expect(await login()).toMatchObject({ status: 0, stdout: `${tenant.integrator.userName} is signed in.\n` });
    const { mode } = await stat(path.join(home, 'callout', 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('keeps none that the API refuses, and shows no secret', async () => {
    const args = [
      'login',
      '--url',
      `${callout.url}/atservicesrest`,
      '--user-name',
      'nobody',
      '--integration-code',
      'x',
    ];
    const elsewhere = { XDG_CONFIG_HOME: path.join(home, 'elsewhere') };
    const ran = await runCommand(args, elsewhere, 'a wrong secret');
    expect(ran.status).toBe(1);
    expect(ran.stdout + ran.stderr).not.toContain('a wrong secret');
    await expect(stat(path.join(home, 'elsewhere', 'callout', 'credentials.json'))).rejects.toThrow('ENOENT');
  });
});

describe('callout listen', () => {
  it('forwards callouts with their own headers and bytes, and cleans up at Ctrl-C', async () => {
    received.length = 0;
    const { child, output } = await listening();
    await callout.send(tenant, company(1, 'Northwind'));
    await eventually(() => output().includes('verified'));
    expect(output()).toMatch(/200 {2}Update Account 1 {2}#1 verified/);
    expect(received[0]?.headers).toMatchObject({ 'x-hook-callout-type': 'PATCH', 'x-hook-attempt': '1' });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ Id: 1, Fields: { CompanyName: 'Northwind' } });
    await eventually(
      async () =>
        (await callout.database.prisma.callout.count({ where: { tenantId: tenant.id, state: 'delivered' } })) === 1,
    );
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(await callout.database.prisma.webhook.count({ where: live() })).toBe(0);
    await eventually(
      async () => (await callout.database.prisma.openCallout.count({ where: { tenantId: tenant.id } })) === 0,
    );
  });

  it('gives back what the local program does not take, and prints JSON for programs', async () => {
    received.length = 0;
    answer = 500;
    const { child, output } = await listening('--json');
    await callout.send(tenant, company(2, 'Contoso'));
    await eventually(() => received.length >= 2);
    answer = 200;
    await eventually(() => output().includes('"answer":200'));
    const [first = ''] = output().split('\n');
    expect(JSON.parse(first)).toMatchObject({ isVerified: true, answer: 500, headers: { 'X-Hook-Attempt': '1' } });
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it('leaves a webhook that is deleted by itself when it is killed', async () => {
    const { child, output } = await listening();
    await eventually(() => output().includes('Listening to'));
    await eventually(
      async () =>
        (await callout.database.prisma.webhook.count({ where: { ...live(), expiresAt: { not: null } } })) === 1,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await callout.database.prisma.webhook.count({ where: live() })).toBe(1);
    await callout.database.prisma.webhook.updateMany({ where: live(), data: { expiresAt: new Date(0) } });
    await eventually(async () => (await callout.database.prisma.webhook.count({ where: live() })) === 0);
  });

  it.each([
    [['--forward', 'localhost:3000'], '--forward must be'],
    [['--forward', 'http://localhost:3000', '--on', '../x'], '--on must be'],
    [['--forward', 'http://localhost:3000', '--webhook', 'x'], 'must be the id'],
  ])('refuses %j', async (args, sentence) => {
    expect(await runCommand(['listen', ...args], env)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(sentence),
    });
  });

  it('says how to sign in', async () => {
    const ran = await runCommand(['listen', '--forward', 'http://localhost:1'], {
      XDG_CONFIG_HOME: path.join(home, 'none'),
    });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('callout login') });
  });
});
