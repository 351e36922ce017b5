import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@callout/client';
import { eventually } from '@callout/testing';
import { runCommand, type Running, startCommand } from '../run-command.fixture.ts';
import { callout } from './one-callout.fixture.ts';
import { useSignedIn } from './signed-in.fixture.ts';
// It shares the API and the worker.
import '../types-command.suite.ts';
import './change-preview.suite.ts';
import './failed-commands.suite.ts';

const runTypescript = path.resolve(import.meta.dirname, '../../../../../tools/testing/jest/run-typescript.js');
const own = useSignedIn(callout);
const { run, json, start } = {
  run: (...args: string[]) => own.run(...args),
  json: <T>(...args: string[]) => own.json<T>(...args),
  start: (...args: string[]) => own.start(...args),
};

type Hook = Awaited<ReturnType<typeof callout.webhook>>;
let hook: Hook;
let name: string;
beforeAll(async () => {
  hook = await callout.webhook(own.tenant);
  name = `CompanyWebhooks/${hook.id}`;
});

let record = 0;
/** Sends an event that causes a callout for the webhook. @returns its eventID. */
async function aChange(): Promise<string> {
  record += 1;
  const eventID = `change-${record}`;
  await callout.send(own.tenant, {
    eventID,
    entityType: 'Account',
    action: 'Update',
    id: record,
    fields: { companyName: `Company ${record}` },
  });
  return eventID;
}

interface Listed {
  id: string;
  webhook: string;
  state: string;
  recordID: number;
}

describe('callout login, whoami and logout', () => {
  it('keep credentials that only their user can read, by profile', async () => {
    const file = path.join(own.home, 'callout', 'credentials.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await json('whoami')).toMatchObject({
      role: 'integrator',
      mayCreateWebhooks: true,
      profile: 'default',
      url: `${callout.url}/atservicesrest`,
    });
    expect(await json('whoami', '--profile', 'source')).toMatchObject({ role: 'source', mayCreateWebhooks: false });
    expect(await runCommand(['whoami'], { ...own.env, CALLOUT_PROFILE: 'admin' })).toMatchObject({
      stdout: expect.stringMatching(/^ROLE +admin$/m),
    });
  });

  it('ask for what is not given on a terminal, and do not show the secret', async () => {
    const { userName, secret, apiIntegrationCode } = own.tenant.integrator;
    const typed = [
      `${callout.url}/atservicesrest/v1.0/\r`,
      `${userName}x\u007F\r`,
      `${apiIntegrationCode}\r`,
      `${secret}\r`,
    ];
    const ran = await runCommand(['login', '--profile', 'typed'], own.env, typed, true);
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('as integrator, in the profile typed') });
    expect(ran.stdout + ran.stderr).not.toContain(secret);
    expect(await json('logout', '--profile', 'typed')).toEqual({ forgotten: ['typed'] });
    expect(await run('whoami', '--profile', 'typed')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('callout login --profile typed'),
    });
  });

  it('find the API from any page of the installation, also by CALLOUT_URL', async () => {
    const { userName, secret, apiIntegrationCode } = own.tenant.integrator;
    const credential = {
      CALLOUT_USER_NAME: userName,
      CALLOUT_SECRET: secret,
      CALLOUT_INTEGRATION_CODE: apiIntegrationCode,
    };
    for (const page of ['', '/', '/console#link=x', '/docs/api', '/atservicesrest/v1.0/']) {
      const env = { ...own.env, ...credential, CALLOUT_URL: `${callout.url}${page}` };
      expect(await runCommand(['webhooks', 'list', '--json'], env)).toMatchObject({ status: 0, stderr: '' });
    }
    const typed = ['login', '--profile', 'paged', '--url', `${callout.url}/console/webhooks`, '--user-name', userName];
    const args = [...typed, '--integration-code', apiIntegrationCode];
    expect(await runCommand(args, own.env, secret)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`signed in at ${callout.url}/atservicesrest, as integrator`),
    });
    await run('logout', '--profile', 'paged');
    const wrong = { ...own.env, ...credential, CALLOUT_URL: 'callout.example.com' };
    expect(await runCommand(['whoami'], wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('CALLOUT_URL must be an http or https URL'),
    });
  });

  it('keep nothing that the API refuses, and send no secret to another installation', async () => {
    const args = `login --profile wrong --url ${callout.url} --user-name nobody --integration-code x`.split(' ');
    const ran = await runCommand(args, own.env, 'a wrong secret');
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringMatching(/Check the user name.*callout login/s) });
    expect(ran.stdout + ran.stderr).not.toContain('a wrong secret');
    expect(await readFile(path.join(own.home, 'callout', 'credentials.json'), 'utf8')).not.toContain('nobody');
    expect(await runCommand(['whoami'], { ...own.env, CALLOUT_URL: 'https://elsewhere.example' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('CALLOUT_SECRET'),
    });
  });

  it.each([
    [['--url', 'callout.example.com'], 2, 'must be an http or https URL'],
    [['--url', 'http://127.0.0.1:2'], 1, 'Nothing listens at 127.0.0.1:2'],
    [['--url', 'http://callout.invalid'], 1, 'has no address in DNS'],
    [['--url', 'http://127.0.0.1:2', '--curl-config', '/none'], 2, 'npm start'],
  ])('say what is wrong with %j', async (args, status, sentence) => {
    const more = args.length > 2 ? [] : ['--user-name', 'x', '--integration-code', 'x'];
    const ran = await runCommand(['login', ...args, ...more], { XDG_CONFIG_HOME: own.home }, 'secret');
    expect(ran).toMatchObject({ status, stderr: expect.stringContaining(sentence) });
  });
});

describe('callout webhooks', () => {
  it('creates, shows, changes, tests and deletes', async () => {
    const url = `${hook.url}/more`;
    const args = `--on Company --name Phones --url ${url} --fields phone,city --display companyName`.split(' ');
    const made = await json<{ webhook: string; secretKey: string }>('webhooks', 'create', ...args, '--show-secret');
    expect(made.secretKey).toMatch(/^whsec_/);
    expect(await json<Listed[]>('webhooks', 'list', '--on', 'Account')).toContainEqual(
      expect.objectContaining({ webhook: made.webhook, name: 'Phones', webhookUrl: url, state: 'delivering' }),
    );
    const shown = await run('webhooks', 'show', made.webhook);
    expect(shown.stdout).toMatch(/^SUBSCRIBED FIELDS +phone, city$/m);
    expect(shown.stdout).toMatch(/^DISPLAYED FIELDS +companyName$/m);
    expect(shown.stdout).not.toContain(made.secretKey);
    const { webhookGUID } = await json<{ webhookGUID: string }>('webhooks', 'show', made.webhook);
    expect((await run('webhook', 'list')).stdout).toMatch(new RegExp(`^${made.webhook} +Phones +delivering`, 'mu'));
    const update = ['webhooks', 'update', made.webhook];
    const children = ['--fields', 'phone,fax', '--display', '', '--exclude-resource', '1'];
    expect(await json(...update, ...children)).toMatchObject({ changedRecords: 4 });
    expect((await run('webhooks', 'show', made.webhook)).stdout).toMatch(
      /^SUBSCRIBED FIELDS +(?:phone, fax|fax, phone)\nDISPLAYED FIELDS +-\n(?:.*UDFS.*\n)*EXCLUDED RESOURCES +1$/mu,
    );
    expect(await run(...update, '--fields', 'fone')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('callout fields Company'),
    });
    await json('webhooks', 'update', webhookGUID, '--name', 'Phones only', '--events', 'delete');
    expect(await json('webhooks', 'show', webhookGUID)).toMatchObject({
      name: 'Phones only',
      isSubscribedToUpdateEvents: false,
      isSubscribedToDeleteEvents: true,
    });
    expect(await run('webhooks', 'test', made.webhook)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^200 from/),
    });
    expect(await run('webhooks', 'deactivate', made.webhook)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('will be deactivated. Open callouts to be cancelled: 0.'),
    });
    await json('webhooks', 'deactivate', made.webhook, '--yes');
    expect(await run('webhooks', 'test', made.webhook)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not active'),
    });
    await json('webhooks', 'activate', made.webhook);
    const declined = await runCommand(['webhooks', 'delete', made.webhook], own.env, 'no\n', true);
    expect(declined).toMatchObject({ status: 1, stdout: 'Nothing was changed.\n' });
    await json('webhooks', 'delete', made.webhook, '--yes');
    expect(await run('webhooks', 'show', made.webhook)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('callout webhooks list'),
    });
  });

  it('reads secrets from places where they are not visible, and writes a new one for its user alone', async () => {
    const file = path.join(own.home, 'hook.secret');
    const args = ['webhooks', 'create', '--on', 'Company', '--name', 'Secret', '--url', hook.url, '--all-fields'];
    expect(await run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('--show-secret') });
    const made = await run(...args, '--secret-file', file);
    const secret = (await readFile(file, 'utf8')).trim();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(made.stdout + made.stderr).not.toContain(secret);
    expect(await run(...args, '--secret-file', file)).toMatchObject({ status: 2 });
    const [, webhook = ''] = /^(\S+) is created/.exec(made.stdout) ?? [];
    const rotated = await runCommand(['webhooks', 'rotate-secret', webhook, '--secret-env', 'FRESH', '--json'], {
      ...own.env,
      FRESH: 'another secret of mine',
    });
    expect(JSON.parse(rotated.stdout)).toEqual({ webhook, overlapHours: 24 });
    await json('webhooks', 'delete', webhook, '--yes');
  });

  it('takes settings from files and the environment, and shows none that is secret', async () => {
    const [headers, auth] = ['headers.json', 'auth.json'].map((file) => path.join(own.home, file));
    await writeFile(headers ?? '', JSON.stringify([{ name: 'X-Shop', value: 'a-secret-value' }]));
    await writeFile(auth ?? '', JSON.stringify({ kind: 'bearer', token: 'a-secret-value' }));
    const files = ['--request-headers-file', headers ?? '', '--receiver-auth-file', auth ?? ''];
    const updated = await run('webhooks', 'update', name, ...files, '--threshold-mail', '--json');
    expect([updated.status, updated.stdout.includes('a-secret-value')]).toEqual([0, false]);
    expect(await json('webhooks', 'show', name)).toMatchObject({
      requestHeaders: [{ name: 'X-Shop' }],
      receiverAuth: { kind: 'bearer' },
      sendThresholdExceededNotification: true,
    });
    const none = ['--request-headers-file', 'none', '--receiver-auth-file', 'none', '--no-threshold-mail'];
    await json('webhooks', 'update', name, ...none);
    expect(await json('webhooks', 'show', name)).toMatchObject({ requestHeaders: [], receiverAuth: { kind: 'none' } });
    expect(await run('webhooks', 'update', name, '--alert-format', 'slack')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('alertFormat'),
    });
  });

  it('signs with a key pair, shows its public keys, and lets an admin replace it', async () => {
    expect(await run('signing-keys', 'list')).toMatchObject({ status: 0, stdout: expect.stringContaining('None') });
    expect(await run('signing-keys', 'rotate', '--profile', 'admin')).toMatchObject({ status: 2 });
    expect(await json('webhooks', 'update', name, '--signature', 'both')).toMatchObject({ signatureKind: 'both' });
    type Keys = { kid: string; state: string; signingPublicKey: string; signingKeysUrl: string }[];
    const [before] = await json<Keys>('signing-keys', 'list');
    expect(await run('signing-keys', 'list')).toMatchObject({
      stdout: expect.stringContaining(`Receivers read them at ${before?.signingKeysUrl}`),
    });
    expect(await run('signing-keys', 'rotate')).toMatchObject({ status: 3 });
    const rotate = (...args: string[]) => json<Keys>('signing-keys', 'rotate', '--profile', 'admin', ...args);
    const rotated = await rotate('--overlap-hours', '1');
    expect(rotated).toMatchObject([{ state: 'current' }, { state: 'previous', kid: before?.kid }]);
    expect(await rotate('--kid', before?.kid ?? '', '--overlap-hours', '0')).toEqual([rotated[0]]);
    expect(await run('signing-keys', 'rotate', '--overlap-hours', '169')).toMatchObject({ status: 2 });
    await json('webhooks', 'update', name, '--signature', 'hmac');
  });

  it('shows a hostile name without what steers a terminal, also in a refusal', async () => {
    const hostile = 'a\u001B[2J\u009B31m\u202Eb';
    await callout.database.prisma.webhook.updateMany({
      where: { id: hook.id, tenantId: own.tenant.id },
      data: { name: hostile },
    });
    const all = [
      await run('webhooks', 'list'),
      await run('webhooks', 'list', '--json'),
      await run('webhooks', 'show', name),
      await run('webhooks', 'delete', name),
    ];
    const text = all.map(({ stdout, stderr }) => stdout + stderr).join('');
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u001B\u009B\u202E]/);
    expect(text).toContain('a·[2J·31m·b');
    expect(JSON.parse(all[1]?.stdout ?? '')).toContainEqual(expect.objectContaining({ name: hostile }));
  });
});

describe('callout trigger and explain', () => {
  it('sends a sample event, and says its result at each webhook', async () => {
    const sent = await run('trigger', 'Company', '--wait', '--profile', 'admin');
    expect(sent).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^Update Company \\d+: accepted\\. eventID \\S+\n${name}  delivered, 200 after \\d+ ms  callout \\S+$`,
          'm',
        ),
      ),
    });
    const file = path.join(own.home, 'event.json');
    await writeFile(file, JSON.stringify({ entityType: 'Account', action: 'Update', id: 3, fields: { city: 'Oslo' } }));
    const unmatched = await run('trigger', '--file', file, '--wait', '--profile', 'source');
    expect(unmatched).toMatchObject({ status: 0, stdout: expect.stringContaining('None of the fields that changed') });
  });

  it('says which fields of an event are unknown, and ends with 1', async () => {
    const sent = await run('trigger', 'Company', '--field', 'telephone=1', '--profile', 'source');
    expect(sent).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Ignored, because it is unknown: .*telephone/m),
    });
  });

  it('sends user-defined fields by name or label, and still says which name is unknown', async () => {
    const client = createClient({ baseUrl: `${callout.url}/atservicesrest`, credential: own.tenant.admin });
    for (const [field, dataType] of [
      ['Seats', 'integer'],
      ['Contract', 'string'],
    ] as const) {
      const body = { entityType: 'Ticket' as const, name: field, label: `The ${field}`, dataType };
      await client.POST('/v1.0/UserDefinedFieldDefinitions', { body });
    }
    const args = ['trigger', 'Ticket', '--field', 'seats=12', '--field', 'the contract=a=b', '--field', 'title=Oslo'];
    const sent = await json<{ eventID: string; event: object }>(...args, '--profile', 'source');
    expect(sent.event).toMatchObject({ fields: { title: 'Oslo' }, userDefinedFields: { Seats: 12, Contract: 'a=b' } });
    const explained = await eventually(async () => {
      const found = await json<{ event: { state: string } }>('explain', sent.eventID);
      return found.event.state === 'matched' && found;
    });
    expect(explained.event).toMatchObject({ changedUserDefinedFields: expect.arrayContaining(['Seats', 'Contract']) });
    const partly = await run(...args, '--field', 'Places=3', '--profile', 'source');
    expect(partly).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Ignored, because it is unknown: .*Places/m),
    });
    expect(partly.stderr).not.toContain('Seats');
  });

  it('says which credential an event needs', async () => {
    expect(await run('trigger', 'Company')).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/source.*callout login --profile source.*callout webhooks test/s),
    });
    expect(await run('trigger', 'Companion')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Company, '),
    });
  });

  it('explains an event, a webhook’s share of it, and a callout', async () => {
    const eventID = await aChange();
    const [first] = await eventually(async () => {
      const found = await json<Listed[]>('deliveries', 'list', '--record', String(record));
      return found.length > 0 && found;
    });
    const explained = await run('explain', eventID);
    expect(explained.stdout).toMatch(new RegExp(`^${name} +${first?.id}`, 'm'));
    expect(explained.stdout).toContain(`Update Company ${record}`);
    const shared = await run('explain', eventID, '--webhook', name);
    expect(shared.stdout).toMatch(/yes {2}A field that changed is one the webhook is subscribed to\./);
    expect(await json('explain', first?.id ?? '')).toMatchObject({
      callout: { eventID },
      explanation: { getsCallout: true },
    });
    expect(await run('explain', 'nothing')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('neither an event nor a callout with the id nothing'),
    });
  });
});

describe('callout status', () => {
  it('shows what the webhooks do, and what needs somebody', async () => {
    const ran = await run('status');
    expect(ran.stdout).toMatch(/^WEBHOOKS +\d+ \w+/mu);
    expect(ran.stdout).toMatch(/^ATTEMPTS 24H +(?:none; .* not counted yet|\d+, \d+ failed)/mu);
    const found = await json<{ webhooks: Record<string, number>; attention: unknown[] }>('status').catch(
      () => undefined,
    );
    expect(found?.webhooks ?? {}).toEqual(expect.any(Object));
  });
});

describe('callout deliveries, redeliver and cancel', () => {
  it('shows what a receiver answered, without what steers a terminal', async () => {
    hook.answer({ status: 422, body: 'no\u001B[2J\u009B\n\u202Ethanks' });
    await aChange();
    const [failed] = await eventually(async () => {
      const found = await json<Listed[]>('deliveries', 'list', '--webhook', name, '--state', 'failed');
      return found.length > 0 && found;
    });
    const ran = await run('deliveries', 'show', failed?.id ?? '');
    expect(ran.stdout).toContain('answered 422');
    expect(ran.stdout).toContain('no·[2J·');
    // oxlint-disable-next-line no-control-regex
    expect(ran.stdout).not.toMatch(/[\u001B\u009B\u202E]/);
  });

  it('compares what a receiver got with what was sent, and sends just that again', async () => {
    hook.answer({ status: 200 });
    const all = await json<(Listed & { sequenceNumber: number })[]>('deliveries', 'list', '--webhook', name);
    const isDone = ({ state }: Listed) => state === 'delivered' || state === 'failed';
    const [lost, ...others] = all.filter(isDone);
    const file = path.join(own.home, 'received.txt');
    await writeFile(file, others.map(({ id, state }) => (state === 'failed' ? '' : `got ${id}, fine\n`)).join(''));
    const found = await run('reconcile', name, '--ids', file, '--json');
    const reconciled = JSON.parse(found.stdout) as { missing: { id: string; sequenceNumber: number }[] };
    const missing = [lost, ...others.filter(({ state }) => state === 'failed')].map((one) => one?.id ?? '').toSorted();
    expect(reconciled.missing.map(({ id }) => id).toSorted()).toEqual(missing);
    expect(await run('reconcile', name, '--ids', file)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`Missing: ${missing.length}\n`),
    });
    expect(await run('reconcile', name, '--ids', path.join(own.home, 'none.txt'))).toMatchObject({ status: 2 });
    expect(await run('reconcile', name, '--ids', file, '--redeliver')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`sent again: ${missing.length}. Add --yes`),
    });
    const numbers = reconciled.missing.map(({ sequenceNumber }) => sequenceNumber);
    const byNumber = await run('reconcile', name, '--missing', `${numbers.join()},999`, '--json');
    expect(JSON.parse(byNumber.stdout)).toMatchObject({ missing: reconciled.missing });
    for (const wrong of [['--missing', '4-3'], ['--missing', '0'], ['--missing', '1', '--ids', file], []]) {
      expect(await run('reconcile', name, ...wrong)).toMatchObject({ status: 2 });
    }
    await writeFile(file, all.map(({ id }) => `${id.toUpperCase()}\n`).join(''));
    expect(await run('reconcile', name, '--ids', file)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Complete: nothing is missing.'),
    });
    await writeFile(file, all.map(({ id, state }) => (state === 'failed' ? `${id}\n` : '')).join(''));
    const sent = all.filter(({ state }) => state === 'delivered').length;
    expect(await json('reconcile', name, '--ids', file, '--redeliver', '--yes')).toMatchObject({ queued: sent });
    await eventually(async () => {
      expect(await json('deliveries', 'list', '--webhook', name, '--state', 'due')).toEqual([]);
    });
  });

  it('sends again by id, or what a webhook missed once the count is confirmed', async () => {
    hook.answer({ status: 200 });
    const [failed] = await json<Listed[]>('deliveries', 'list', '--webhook', name, '--state', 'failed');
    expect(await run('redeliver', '--webhook', name)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`now of ${name}: 1. No receiver gets an older value after a newer one.`),
    });
    const declined = await runCommand(['redeliver', '--webhook', name], own.env, 'n\n', true);
    expect(declined).toMatchObject({ status: 1, stdout: 'Nothing was changed.\n' });
    expect(await json('redeliver', '--webhook', name, '--record', String(failed?.recordID), '--yes')).toEqual({
      queued: 1,
      order: { older: 0, message: expect.stringContaining('No receiver gets an older value') },
    });
    await eventually(async () => {
      expect(await json('deliveries', 'show', failed?.id ?? '')).toMatchObject({ state: 'delivered' });
    });
    expect(await json('redeliver', failed?.id ?? '')).toMatchObject({
      queued: 1,
      order: { message: expect.stringContaining('No receiver gets an older value') },
    });
    await eventually(async () => {
      expect(await json('deliveries', 'show', failed?.id ?? '')).toMatchObject({ state: 'delivered' });
    });
    await callout.database.pool.query(
      `INSERT INTO webhook_health (webhook_key, pauses, paused_until)
       SELECT key, 1, now() + interval '1 hour' FROM webhooks WHERE deleted_at IS NULL
       ON CONFLICT (webhook_key) DO UPDATE SET pauses = 1, paused_until = excluded.paused_until`,
    );
    await aChange();
    const [waiting] = await eventually(async () => {
      const found = await json<Listed[]>('deliveries', 'list', '--webhook', name, '--state', 'due');
      return found.length > 0 && found;
    });
    expect(await json('redeliver', waiting?.id ?? '')).toEqual({ queued: 1 });
    await eventually(async () => {
      expect(await json('deliveries', 'show', waiting?.id ?? '')).toMatchObject({ state: 'delivered' });
    });
    expect(await run('redeliver')).toMatchObject({ status: 2, stderr: expect.stringContaining('--webhook') });
    expect(await json('cancel', '--webhook', name, '--yes')).toEqual({ cancelled: expect.any(Number) });
  });

  it('sends what a webhook missed while it was inactive, once the count is confirmed', async () => {
    hook.answer({ status: 200 });
    await run('webhooks', 'deactivate', name, '--yes');
    await aChange();
    await eventually(async () => {
      expect((await callout.database.pool.query('SELECT FROM pending_events')).rowCount).toBe(0);
    });
    expect(await run('webhooks', 'activate', name)).toMatchObject({ status: 0 });
    const missed = ['redeliver', '--webhook', name, '--since', '1h', '--inactive'];
    expect(await run(...missed)).toMatchObject({ status: 2, stderr: expect.stringContaining('1 change made while') });
    expect(await json(...missed, '--yes')).toMatchObject({
      order: { message: expect.stringContaining('new numbers') },
    });
    expect(await run('redeliver', '--webhook', name, '--inactive')).toMatchObject({ status: 2 });
    expect(await run(...missed, '--state', 'failed')).toMatchObject({ status: 2 });
    await eventually(async () => {
      expect(await json('deliveries', 'list', '--webhook', name, '--state', 'due')).toEqual([]);
    });
  });

  it('waits until callouts that are sent again have ended, and counts how', async () => {
    hook.answer({ status: 422 });
    await aChange();
    const failed = await eventually(async () => {
      const args = ['deliveries', 'list', '--webhook', name, '--state', 'failed', '--record', String(record)];
      const [found] = await json<Listed[]>(...args);
      return found ?? false;
    });
    const again = await run('redeliver', failed.id, '--wait');
    expect(again).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^Callouts to be sent now: 1\.\nNo receiver gets an older value .+\nDelivered: 0\. Failed: 1\. `callout deliveries show/u,
      ),
    });
    expect(await run('redeliver', failed.id, '--wait', '--timeout', '0')).toMatchObject({ status: 1 });
    await eventually(async () => {
      expect(await json('deliveries', 'show', failed.id)).toMatchObject({ state: 'failed' });
    });
    hook.answer({ status: 200 });
    const args = ['redeliver', '--webhook', name, '--record', String(record), '--yes', '--wait'];
    expect(await json(...args)).toMatchObject({ queued: 1, delivered: 1, failed: 0, cancelled: 0, open: 0 });
    expect(await run(...args)).toMatchObject({ status: 0, stdout: expect.stringContaining('to be sent now: 0.') });
  });

  it('tails each attempt once', async () => {
    const tail = start('deliveries', 'tail', '--webhook', name);
    const lines = start('deliveries', 'tail', '--json', '--state', 'delivered');
    await eventually(() => tail.output().includes(`Watching ${name}, which sends to http`));
    await aChange();
    await eventually(() =>
      expect(tail.output()).toMatch(
        new RegExp(`200  ${name}  record ${record} #\\d+  delivered, \\d+ ms  callout \\S+$`, 'mu'),
      ),
    );
    await eventually(() => lines.output().includes('\n'));
    expect(JSON.parse(lines.output().split('\n')[0] ?? '')).toMatchObject({
      webhook: name,
      recordID: record,
      attempt: { status: 200 },
    });
    expect(await Promise.all([tail.stop(), lines.stop()])).toEqual([0, 0]);
    expect(tail.output().split('delivered').length - 1).toBe(1);
  });
});

describe('callout listen', () => {
  const live = () => ({ tenantId: own.tenant.id, deletedAt: null, name: { startsWith: 'callout listen' } });
  const count = () => callout.database.prisma.webhook.count({ where: live() });
  const expire = () => callout.database.prisma.webhook.updateMany({ where: live(), data: { expiresAt: new Date(0) } });
  // One that a failed test has left would be counted by the next.
  afterEach(expire);

  it('forwards callouts of chosen fields with their own headers and bytes, and cleans up at Ctrl-C', async () => {
    const listening = start('listen', '--forward', hook.url, '--fields', 'companyName');
    await eventually(async () => (await count()) === 1);
    const eventID = await aChange();
    await eventually(() => listening.output().includes('verified'));
    expect(listening.output()).toMatch(/200 {2}Update Company \d+ {2}#1 verified by hmac, \d+ ms/);
    expect(eventID).toMatch(/^change-/);
    expect(await listening.stop()).toBe(0);
    expect(await count()).toBe(0);
  });

  it('subscribes to user-defined fields by name, or to all', async () => {
    const { url } = await json<{ url: string }>('whoami');
    const client = createClient({ baseUrl: url, credential: own.tenant.admin });
    for (const field of ['Tier', 'Region']) {
      const body = { entityType: 'Account' as const, name: field, label: `Its ${field}`, dataType: 'string' as const };
      await client.POST('/v1.0/UserDefinedFieldDefinitions', { body });
    }
    const subscribed = async () => {
      const found = await eventually(async () => {
        const all = await json<{ webhook: string; name: string }[]>('webhooks', 'list');
        return all.find((one) => one.name.startsWith('callout listen')) ?? false;
      });
      const { udfFields } = await json<{ udfFields: { name: string }[] }>('webhooks', 'show', found.webhook);
      return udfFields.map((one) => one.name).toSorted();
    };
    const some = start('listen', '--forward', hook.url, '--fields', 'phone', '--udf', 'Tier');
    expect(await subscribed()).toEqual(['Its Tier']);
    record += 1;
    const change = { eventID: `change-${record}`, entityType: 'Account', action: 'Update' as const, id: record };
    await callout.send(own.tenant, { ...change, fields: {}, userDefinedFields: { Tier: 'gold' } });
    await eventually(() => some.output().includes(`200  Update Company ${record}  #1 verified`));
    expect((await run('fields', 'company')).stdout).toMatch(/^Tier +user-defined +Its Tier$/mu);

    expect(await some.stop()).toBe(0);
    const all = start('listen', '--forward', hook.url, '--udf', 'ALL');
    expect(await subscribed()).toEqual(['Its Region', 'Its Tier']);
    expect(await all.stop()).toBe(0);
    expect(await run('listen', '--forward', hook.url, '--udf', 'Colour')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Colour'),
    });
    expect(await count()).toBe(0);
  });

  it('rejects callouts that the local program rejects, and prints JSON for programs', async () => {
    hook.answer({ status: 500 });
    const listening = start('listen', '--forward', hook.url, '--json');
    await eventually(async () => (await count()) === 1);
    await aChange();
    await eventually(() => listening.output().includes('"answer":500'));
    hook.answer({ status: 200 });
    await eventually(() => listening.output().includes('"answer":200'));
    await listening.stop();
    const lines = listening
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      { progress: expect.stringContaining('Listening to'), webhook: expect.stringMatching(/^CompanyWebhooks\/\d+$/) },
      { progress: expect.any(String), secretKey: expect.stringMatching(/^whsec_/) },
      expect.objectContaining({
        isVerified: true,
        answer: 500,
        headers: expect.objectContaining({ 'X-Hook-Attempt': '1' }),
      }),
      expect.objectContaining({ isVerified: true, answer: 200 }),
      { progress: expect.stringContaining('is deleted.') },
    ]);
  });

  it('prints callouts without a port, and signs with the same secret in every run', async () => {
    const secretOf = ({ output }: Running) => /the secret (\S+)/u.exec(output())?.[1];
    const first = start('listen', '--fields', 'companyName');
    await eventually(() => secretOf(first) !== undefined);
    const secret = secretOf(first);
    await aChange();
    await eventually(() => first.output().includes(`"CompanyName": "Company ${record}"`));
    expect(first.output()).toMatch(/printing what arrives/u);
    expect(first.output()).toMatch(new RegExp(`^Update Company ${record}  #1 verified by hmac$`, 'mu'));
    expect(await first.stop()).toBe(0);

    const port = new URL(hook.url).port;
    const second = start('listen', '--forward', `127.0.0.1:${port}`);
    await eventually(() => secretOf(second) !== undefined);
    expect(secretOf(second)).toBe(secret);
    expect(secret).toMatch(/^whsec_/u);
    expect(second.output()).toContain(`forwarding to http://127.0.0.1:${port}/.`);
    expect(await second.stop()).toBe(0);

    const others = startCommand(['listen', '--secret-env', 'MINE', '--json'], {
      ...own.env,
      MINE: 'a secret of my own',
    });
    await eventually(() => others.output().includes('"secretKey":"a secret of my own"'));
    await aChange();
    await eventually(() => others.output().includes('"calloutID"'));
    expect(others.output()).toContain('"isVerified":true,"verifiedBy":["hmac"],"answer":null');
    expect(await others.stop()).toBe(0);
  });

  it('signs with the key pair of the tenant, and verifies by its public keys, also those of a webhook that is there', async () => {
    const listening = start('listen', '--signature', 'both', '--fields', 'companyName');
    await eventually(() => listening.output().includes('key pair of whpk_'));
    expect(listening.output()).toMatch(/the secret whsec_/u);
    await aChange();
    await eventually(() => listening.output().includes('#1 verified by hmac and ed25519'));
    expect(await listening.stop()).toBe(0);

    const settings = [
      '--name',
      'to fetch',
      '--url',
      'pull:',
      '--events',
      'update',
      '--fields',
      'companyName',
      '--show-secret',
    ];
    const { webhook } = await json<{ webhook: string }>('webhooks', 'create', '--on', 'Company', ...settings);
    const there = start('listen', '--webhook', webhook, '--json');
    await eventually(() => there.output().includes('Listening to'));
    await aChange();
    await eventually(() => there.output().includes('"isVerified":null,"verifiedBy":[]'));
    await json('webhooks', 'update', webhook, '--signature', 'ed25519');
    await aChange();
    await eventually(() => there.output().includes('"isVerified":true,"verifiedBy":["ed25519"]'));
    expect(await there.stop()).toBe(0);
    await run('webhooks', 'delete', webhook, '--yes');
  });

  it('leaves a webhook that is deleted by itself when it is killed', async () => {
    // The command itself: `npx callout` builds the checkout first.
    const main = path.resolve(import.meta.dirname, '../main.ts');
    const args = ['-C', 'source', '--import', runTypescript, main, 'listen', '--forward', hook.url];
    const child = spawn(process.execPath, args, {
      env: { ...own.env, PATH: path.dirname(process.execPath) },
      stdio: 'ignore',
    });
    try {
      await eventually(
        async () =>
          (await callout.database.prisma.webhook.count({ where: { ...live(), expiresAt: { not: null } } })) === 1,
      );
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(await count()).toBe(1);
    await expire();
    await eventually(async () => (await count()) === 0);
  });

  it.each([
    [['--forward', 'ftp://localhost:3000'], '--forward must be a port such as 3000'],
    [['--secret-env', 'NONE'], 'NONE'],
    [['--secret-env', 'NONE', '--webhook', 'Company/1'], 'has its own fields, secret and signature'],
    [['--signature', 'ed25519', '--webhook', 'Company/1'], 'has its own fields, secret and signature'],
    [['--forward', 'http://localhost:3000', '--on', '../x'], 'is not an entity'],
    [['--forward', 'http://localhost:3000', '--webhook', 'x'], 'names no webhook'],
  ])('refuses %j', async (args, sentence) => {
    expect(await run('listen', ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(sentence) });
  });

  it('says how to sign in, and why a webhook with a URL cannot be fetched', async () => {
    const args = ['listen', '--forward', 'http://localhost:1'];
    expect(await runCommand(args, { XDG_CONFIG_HOME: path.join(own.home, 'none') })).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('callout login'),
    });
    expect(await run(...args, '--webhook', name)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--url pull:'),
    });
  });
});
