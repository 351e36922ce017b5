import { hash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isImportedSecret } from '@callout/domain/secrets/imported-secret';
import { createCredentialStore } from '@callout/tenancy/credentials';
import { countAuthenticationFailures } from '@callout/tenancy/authentication-failures';
import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { eventually } from '@callout/testing';
import { useCommandDatabase } from './command-database.fixture.ts';
import { useOperatedCallout } from './operated-callout.fixture.ts';
import { runCommand } from '../../run-command.fixture.ts';
import { sendJson, stubApi } from '../../test/stub-api.fixture.ts';
import { runAdmin, runAdminForJson } from './run-admin.fixture.ts';

const own = useOperatedCallout();
const database = useCommandDatabase();

interface Named {
  id: number;
  name: string;
}
interface Issued {
  id: number;
  userName: string;
  secret: string;
  apiIntegrationCode: string;
}

const json = <T>(...args: string[]) => runAdminForJson<T>(args, own.env);
const run = (...args: string[]) => runAdmin(args, own.env);
const aTenant = (env = own.env) => runAdminForJson<Named>(['tenants', 'create', '--name', `t-${randomUUID()}`], env);

async function aCredential(env = own.env, role = 'admin') {
  const { name: tenant } = await aTenant(env);
  await runAdminForJson(['resources', 'create', '--tenant', tenant, '--email', 'a@example.com'], env);
  const userName = `Crm-${randomUUID()}`;
  const args = ['--tenant', tenant, '--resource', '1', '--user-name', userName, '--role', role];
  return { tenant, issued: await runAdminForJson<Issued>(['credentials', 'create', ...args], env) };
}

async function isAccepted({ userName, secret }: Issued): Promise<boolean> {
  const signIn = { foldedUserName: userName.toLowerCase(), address: '192.0.2.1' };
  const found = await createCredentialStore(own.callout.database).findForAuthentication([signIn]);
  return found.get(signIn)?.credential?.secretHash.equals(hash('sha256', secret, 'buffer')) ?? false;
}

it('prints its version', async () => {
  expect(await runCommand(['--version'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

describe('callout admin zones and tenants', () => {
  it('make, change and list, by id and by name', async () => {
    const zoneName = `z-${randomUUID()}`;
    const zone = await json<Named>('zones', 'create', '--name', zoneName, '--url', 'https://eu.example.com');
    expect(zone).toMatchObject({ name: zoneName, url: 'https://eu.example.com', webUrl: '', isDefault: false });
    await expect(json('zones', 'set', zoneName, '--default')).resolves.toMatchObject({ isDefault: true });
    await expect(json('zones', 'set', String(zone.id), '--url', '')).resolves.toMatchObject({ url: '' });

    const tenant = await aTenant();
    const limits = '--callout-threshold 0 --api-requests-per-hour 9'.split(' ');
    await expect(json('tenants', 'set', tenant.name, '--zone', zoneName, ...limits)).resolves.toMatchObject({
      id: tenant.id,
      zoneID: zone.id,
      calloutThreshold: 0,
      apiRequestsPerHour: 9,
    });
    await expect(json('tenants', 'set', String(tenant.id), '--callout-threshold', 'default')).resolves.toMatchObject({
      calloutThreshold: null,
      apiRequestsPerHour: 9,
    });
    expect(await json<Named[]>('zones', 'list')).toContainEqual(expect.objectContaining({ id: zone.id }));
    expect(await json<Named[]>('tenants', 'list')).toContainEqual(expect.objectContaining({ id: tenant.id }));

    const shown = await run('tenants', 'list');
    expect(shown.stdout).toMatch(/^ID +NAME +ZONE ID +CALLOUT THRESHOLD +API REQUESTS PER HOUR +DELETING DATE TIME\n/);
    expect(shown.stdout).toContain(tenant.name);
  });

  it('list more than one page', async () => {
    await aTenant();
    const all = await json<Named[]>('tenants', 'list');
    await own.callout.database.pool.query(
      "INSERT INTO tenants (name, zone_id) SELECT 'many-' || n, (SELECT min(id) FROM zones) FROM generate_series(1, 600) n",
    );
    expect(await json<Named[]>('tenants', 'list')).toHaveLength(all.length + 600);
    await expect(json('tenants', 'set', 'many-599', '--name', 'one')).resolves.toMatchObject({ name: 'one' });
  });
});

describe('callout admin tenants delete', () => {
  it('asks for the name, refuses the credentials, and leaves the rest to the workers', async () => {
    const { tenant, issued } = await aCredential();
    const declined = await runAdmin(['tenants', 'delete', tenant], own.env, 'yes\n', true);
    expect(declined).toMatchObject({ status: 2, stderr: expect.stringContaining('Type its name to go on') });
    await expect(run('tenants', 'delete', tenant)).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Add --confirm with its name'),
    });
    await expect(run('tenants', 'delete', tenant, '--confirm', 'another')).resolves.toMatchObject({ status: 2 });
    expect(await isAccepted(issued)).toBe(true);
    const deleted = await runAdmin(['tenants', 'delete', tenant], own.env, `${tenant}\n`, true);
    expect(deleted).toMatchObject({ status: 0, stdout: expect.stringContaining('is being deleted') });
    expect(await isAccepted(issued)).toBe(false);
  });

  it('needs no terminal with --confirm, and does nothing to one that is marked', async () => {
    const { id, name } = await aTenant();
    const deleting = { id, deletingDateTime: expect.any(String) };
    expect(await json('tenants', 'delete', name, '--confirm', name)).toMatchObject(deleting);
    expect(await json('tenants', 'delete', String(id))).toMatchObject(deleting);
  });
});

describe('callout admin tenants export', () => {
  it('writes JSON lines on stdout, and what it wrote on stderr', async () => {
    const { tenant, issued } = await aCredential(database.env);
    const { status, stdout, stderr } = await runAdmin(['tenants', 'export', '--tenant', tenant], database.env);
    expect(status).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const changes = ['change', 'change', 'change'];
    expect(lines.map(({ kind }) => kind)).toEqual(['tenant', 'zone', 'resource', 'credential', ...changes, 'end']);
    expect(lines[3]).toMatchObject({ userName: issued.userName, role: 'admin' });
    expect(stdout).not.toContain(issued.secret);
    expect(stdout).not.toContain(issued.apiIntegrationCode);
    expect(stderr).toContain('credential: 1');
  });

  it('needs the keys for secrets', async () => {
    const { tenant } = await aCredential(database.env);
    await expect(
      runAdmin(['tenants', 'export', '--tenant', tenant, '--with-secrets'], database.env),
    ).resolves.toMatchObject({
      status: 1,
      stderr: expect.stringContaining('SECRET_KEYS'),
    });
  });
});

describe('callout admin resources', () => {
  it('makes resources, adds and removes rights, and deactivates', async () => {
    const { name: tenant } = await aTenant();
    const args = ['--tenant', tenant, '--email', 'a@example.com', '--can-create-webhooks', 'true'];
    const made = await json<Named>('resources', 'create', ...args);
    expect(made).toEqual({ id: 1, email: 'a@example.com', isActive: true, canCreateWebhooks: true });
    const changes = ['--can-create-webhooks', 'false', '--active', 'false', '--email', 'b@example.com'];
    const changed = await json('resources', 'set', '1', '--tenant', tenant, ...changes);
    expect(changed).toEqual({ id: 1, email: 'b@example.com', isActive: false, canCreateWebhooks: false });
    expect(await json('resources', 'list', '--tenant', tenant)).toEqual([changed]);
    expect((await run('resources', 'list', '--tenant', tenant)).stdout).toBe(
      'ID  EMAIL          IS ACTIVE  CAN CREATE WEBHOOKS\n1   b@example.com  no         no\n',
    );
  });
});

describe('callout admin credentials', () => {
  it('shows secret and code once, and lists neither', async () => {
    const { tenant, issued } = await aCredential(own.env, 'source');
    expect(await isAccepted(issued)).toBe(true);
    for (const args of [['--json'], []]) {
      const listed = await run('credentials', 'list', '--tenant', tenant, ...args);
      expect(listed.stdout).toContain(issued.userName);
      for (const hidden of [issued.secret, issued.apiIntegrationCode]) expect(listed.stdout).not.toContain(hidden);
    }
  });

  it('revokes and reissues by user name, in any case', async () => {
    const { issued } = await aCredential();
    const revoked = await run('credentials', 'revoke', issued.userName.toUpperCase(), '--yes');
    expect(revoked.status).toBe(0);
    expect(revoked.stdout + revoked.stderr).not.toContain(issued.secret);
    expect(await isAccepted(issued)).toBe(false);
    await expect(run('credentials', 'reissue', issued.userName)).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('stop working at once'),
    });
    const again = await run('credentials', 'reissue', issued.userName, '--yes');
    expect(again.stdout).toMatch(/^SECRET +[\w-]{43}$/m);
    expect(again.stderr).toContain('shown this once');
    const last = await json<Issued>('credentials', 'reissue', issued.userName, '--yes');
    expect(await isAccepted(last)).toBe(true);
    expect(await isAccepted(issued)).toBe(false);
  });
});

describe('callout admin credentials create with a secret that was chosen elsewhere', () => {
  const secret = 'Their old #1 secret';
  const create = async (options: readonly string[], variables: Record<string, string> = {}, typed = '') => {
    const { name: tenant } = await aTenant();
    await json('resources', 'create', '--tenant', tenant, '--email', 'a@example.com');
    const userName = `old-${randomUUID()}`;
    const args = ['--tenant', tenant, '--resource', '1', '--user-name', userName, '--role', 'source', ...options];
    return { userName, ran: await runAdmin(['credentials', 'create', ...args], { ...own.env, ...variables }, typed) };
  };
  const isStored = async (userName: string) => {
    const row = await own.callout.database.prisma.credential.findUnique({ where: { userNameFolded: userName } });
    return isImportedSecret(secret, { hash: row?.secretHash ?? Buffer.alloc(32), scrypt: row?.secretScrypt ?? '' });
  };

  it.each([
    ['stdin', ['--secret-stdin'], {}, `${secret}\n`],
    ['stdin of Windows', ['--secret-stdin'], {}, `${secret}\r\n`],
    ['the environment', ['--secret-env', 'OLD_SECRET'], { OLD_SECRET: secret }, ''],
  ])('takes it from %s, and shows only what it generated', async (_, options, variables, typed) => {
    const { userName, ran } = await create(options, variables, typed);
    expect(ran).toMatchObject({ status: 0, stderr: expect.stringContaining('shown this once') });
    expect(ran.stdout).toMatch(/^API INTEGRATION CODE +[0-9a-f-]{36}$/m);
    expect(ran.stdout + ran.stderr).not.toContain(secret);
    expect(await isStored(userName)).toBe(true);
  });

  it('keeps the code too, and then shows neither', async () => {
    const options = ['--secret-stdin', '--api-integration-code-env', 'OLD_CODE', '--json'];
    const { userName, ran } = await create(options, { OLD_CODE: 'THEIR-CODE' }, secret);
    expect(JSON.parse(ran.stdout)).toMatchObject({ userName, isSecretImported: true });
    for (const hidden of [secret, 'THEIR-CODE']) expect(ran.stdout + ran.stderr).not.toContain(hidden);
    const row = await own.callout.database.prisma.credential.findUnique({ where: { userNameFolded: userName } });
    expect(row?.apiIntegrationCode).toBe('THEIR-CODE');
  });

  it.each([
    ['an empty stdin', ['--secret-stdin'], '', 'stdin is empty'],
    ['a variable that is not set', ['--secret-env', 'NOWHERE'], '', 'NOWHERE is not set'],
    ['both ways', ['--secret-stdin', '--secret-env', 'X'], '', 'cannot be used with'],
    ['a secret that no header can carry', ['--secret-stdin'], 'grüße an alle\n', 'secret must be'],
    ['a whole file', ['--secret-stdin'], 'x'.repeat(20_000), 'that is no secret'],
    ['the secret as an argument', ['--secret', 'x'], '', "unknown option '--secret'"],
  ])('refuses %s', async (_, options, typed, sentence) => {
    const { ran } = await create(options, {}, typed);
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(sentence) });
  });
});

describe('callout admin credentials set-role', () => {
  it('changes the role by user name, and knows which roles there are', async () => {
    const { tenant, issued } = await aCredential(own.env, 'source');
    await expect(json('credentials', 'set-role', issued.userName.toUpperCase(), 'admin')).resolves.toMatchObject({
      id: issued.id,
      role: 'admin',
    });
    expect((await run('credentials', 'list', '--tenant', tenant)).stdout).toMatch(/ admin /);
    expect(await isAccepted(issued)).toBe(true);
    await expect(run('credentials', 'set-role', issued.userName, 'emperor')).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('integrator, source, admin'),
    });
    await expect(run('credentials', 'set-role', 'nobody', 'admin')).resolves.toMatchObject({ status: 1 });
  });
});

describe('callout admin lockouts', () => {
  it('lists lockouts, and lifts them', async () => {
    expect((await run('lockouts', 'list')).stdout).toBe('No user name is locked out.\n');
    const { issued } = await aCredential();
    const signIn = { foldedUserName: issued.userName.toLowerCase(), address: '192.0.2.9' };
    await countAuthenticationFailures(own.callout.database.pool, Array(10).fill(signIn));
    const lockout = { userName: issued.userName, address: '192.0.2.9' };
    expect(await json('lockouts', 'list')).toMatchObject([{ ...lockout, tenantName: expect.any(String) }]);
    expect((await run('lockouts', 'list')).stdout).toMatch(/^USER NAME +TENANT NAME +ADDRESS +END DATE TIME\n/);
    await expect(run('lockouts', 'lift', issued.userName, '--address', 'x')).resolves.toMatchObject({ status: 2 });
    const lift = ['lockouts', 'lift', issued.userName];
    expect((await run(...lift, '--address', '192.0.2.10')).stdout).toBe('It was not locked out.\n');
    expect((await run(...lift)).stdout).toBe('Lifted 1 lockout.\n');
    expect(await json(...lift)).toEqual({ lifted: 0 });
    expect(await json('lockouts', 'list')).toEqual([]);
  });
});

interface Link {
  url: string;
  expiresDateTime: string;
}

describe('callout admin links', () => {
  const taken = (url: string) =>
    createConsoleLinkStore(own.callout.database).take(
      /#link=([\w-]+)$/u.exec(url)?.[1] ?? '',
      ['user', 'portal', 'operator'],
      new Date(),
    );

  it('makes links that sign in as a resource, with a credential and as an operator, once', async () => {
    const { tenant, issued } = await aCredential();
    const zone = `z-${randomUUID()}`;
    await json('zones', 'create', '--name', zone, '--url', 'https://eu.example.com');
    await json('tenants', 'set', tenant, '--zone', zone);
    const portal = await json<Link>('links', 'portal', '--tenant', tenant, '--resource', '1');
    expect(portal.url).toMatch(/^https:\/\/eu\.example\.com\/console\/portal#link=[\w-]{43}$/u);
    expect(await taken(portal.url)).toMatchObject({ kind: 'portal', resourceId: 1, webhookKey: null });
    expect(await taken(portal.url)).toBeUndefined();

    const signIn = await json<Link>('links', 'sign-in', issued.userName, '--tenant', tenant, '--expires-in', '3600');
    expect(Date.parse(signIn.expiresDateTime)).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await taken(signIn.url)).toMatchObject({ kind: 'user', resourceId: 1 });

    const operator = await run('links', 'operator');
    expect(operator.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console#link=/u);
    expect(operator.stderr).toContain('It signs in the first person to open it');
    expect(await taken(operator.stdout.trim())).toMatchObject({ kind: 'operator' });
  });

  it('names one webhook by its number or its GUID', async () => {
    const tenant = await own.callout.tenant();
    const { id } = await own.callout.webhook(tenant);
    const { guid, key, ownerResourceId } = await own.callout.database.prisma.webhook.findFirstOrThrow({
      where: { id, tenantId: tenant.id },
    });
    const args = ['links', 'portal', '--tenant', String(tenant.id), '--resource', String(ownerResourceId)];
    for (const name of [`CompanyWebhooks/${id}`, guid.toUpperCase()]) {
      const { url } = await json<Link>(...args, '--webhook', name);
      expect(await taken(url)).toMatchObject({ webhookKey: Number(key) });
    }
    await expect(run(...args, '--webhook', randomUUID())).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is no webhook of resource'),
    });
  });

  it('says what it cannot make a link for', async () => {
    const { tenant } = await aCredential();
    for (const [args, reason] of [
      [['links', 'portal', '--tenant', tenant, '--resource', '9'], 'resourceID 9 is no active resource'],
      [['links', 'sign-in', 'unknown', '--tenant', tenant], 'userName unknown is that of no credential'],
      [['links', 'portal', '--tenant', tenant, '--resource', '1', '--expires-in', '1'], 'from 10 to 3600'],
    ] as const) {
      await expect(run(...args)).resolves.toMatchObject({ status: 2, stderr: expect.stringContaining(reason) });
    }
  });
});

describe('callout admin status', () => {
  it('shows what is waiting, and what is wrong with its remedy', async () => {
    expect(await json('status')).toMatchObject({ pendingEvents: { count: 0 }, problems: expect.any(Array) });
    const counts = { due: 1, beingSent: 1, inLine: 0, rate: 0, toFetch: 0, paused: 1, later: 1, waiting: 1, held: 1 };
    const item = {
      checkDateTime: '2026-01-02T00:00:30.000Z',
      pendingEvents: { count: 1, oldestDateTime: '2026-01-02T00:00:00.000Z' },
      waitingHealthEvents: { count: 2, oldestDateTime: '2026-01-02T00:00:25.000Z' },
      waitingOperatorMessages: { count: 0, oldestDateTime: null },
      openCallouts: { ...counts, dueSinceDateTime: '2026-01-02T00:00:10.000Z', cancelling: 0 },
      connections: { api: 1, worker: 1, all: 2, server: 2, most: 100 },
      fullest: [
        {
          tenantID: 1,
          tenantName: 'Acme',
          webhookID: 2,
          openCallouts: 5,
          pausedUntilDateTime: null,
          lastFailure: 'It hangs.',
        },
      ],
      problems: [{ sentence: 'SECRET_KEYS lacks the key k1.', remedy: 'Add it.' }],
    };
    const api = await stubApi((_request, response) => sendJson(response, { item }));
    const { stdout } = await runAdmin(['status'], { ...own.env, CALLOUT_OPERATOR_URL: `${api.url}/operator/v1/` });
    expect(api.requests).toEqual(['GET /operator/v1/status']);
    expect(stdout).toMatch(/PENDING EVENTS +1, the oldest accepted 30 s ago\n/u);
    expect(stdout).toMatch(/DUE NOW +1, the first of them due 20 s ago\n/u);
    expect(stdout).toMatch(/WAITING HEALTH EVENTS +2, the oldest of what happened 5 s ago\n/u);
    expect(stdout).toContain('It hangs.');
    expect(stdout).toMatch(/\nSECRET_KEYS lacks the key k1\. Add it\.\n$/u);
  });
});

describe('callout admin queue rebuild', () => {
  it('says how much was enqueued', async () => {
    expect(await run('queue', 'rebuild')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Enqueued \d+ pending events, and \d+ webhooks with due callouts\.\n$/u),
    });
  });
});

describe('callout admin webhooks and deliveries', () => {
  interface Listed {
    id: string;
    state: string;
  }

  it('show a tenant what it has, send again, cancel and deactivate, and reveal no secret', async () => {
    const tenant = await own.callout.tenant();
    const hook = await own.callout.webhook(tenant);
    const webhook = `CompanyWebhooks/${hook.id}`;
    const ofTenant = ['--tenant', String(tenant.id)];
    const list = () => json<Listed[]>('deliveries', 'list', ...ofTenant, '--webhook', webhook);
    const states = async () => (await list()).map(({ state }) => state);
    hook.answer({ status: 404 });
    await own.callout.send(tenant, { entityType: 'Account', action: 'Update', id: 1, fields: { companyName: 'A' } });
    await eventually(async () => expect(await states()).toEqual(['failed']));
    const [{ id } = { id: '' }] = await list();
    await own.callout.database.pool.query(
      `UPDATE webhooks SET webhook_url = replace(webhook_url, '//', '//me:pa55word@') || '?key=s3cret' WHERE tenant_id = $1`,
      [tenant.id],
    );
    const shown = [
      await run('webhooks', 'list', ...ofTenant),
      await run('webhooks', 'show', webhook, ...ofTenant),
      await run('deliveries', 'show', id),
    ];
    expect(shown).toMatchObject([
      { stdout: expect.stringContaining('<redacted>') },
      { stdout: expect.stringMatching(/GETS CALLOUTS +yes\nOPEN CALLOUTS +0[^]*CHANGED UTC/u) },
      { stdout: expect.stringContaining('answered 404') },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|pa55word/u);

    hook.answer({ status: 200 });
    expect(await json('deliveries', 'redeliver', id)).toMatchObject({ queued: 1, order: { older: 0 } });
    await eventually(async () => expect(await states()).toEqual(['delivered']));
    expect(await json('deliveries', 'cancel', ...ofTenant, '--webhook', webhook)).toEqual({ cancelled: 0 });
    expect(await json('webhooks', 'deactivate', webhook, ...ofTenant, '--yes')).toMatchObject({ isActive: false });
    expect(await json('webhooks', 'show', webhook, ...ofTenant)).toMatchObject({
      changes: expect.arrayContaining([
        expect.objectContaining({
          action: 'deactivated',
          changedBy: { kind: 'operator', resourceID: null, userName: null },
        }),
      ]),
    });
    await expect(run('webhooks', 'deactivate', webhook, ...ofTenant)).resolves.toMatchObject({
      stdout: `${webhook} was inactive already.\n`,
    });
  });

  it.each([
    [['deliveries', 'list'], 2, '--tenant is needed'],
    [['deliveries', 'list', '--tenant', 'nobody'], 1, 'there is no tenant'],
    [['deliveries', 'show', 'nothing'], 1, 'there is no callout nothing'],
    [['deliveries', 'cancel'], 2, 'name callouts by their ids'],
    [['webhooks', 'list'], 2, "'--tenant <tenant>' not specified"],
  ])('say what is wrong with %j', async (args, status, sentence) => {
    expect(await run(...args)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(sentence) });
  });

  it('need the operator API, also where there is a database', async () => {
    await expect(runAdmin(['webhooks', 'list', '--tenant', 'x'], database.env)).resolves.toMatchObject({
      status: 1,
      stderr: expect.stringContaining('set OPERATOR_TOKEN to its token'),
    });
  });
});

describe('an operator API', () => {
  it('that is not there is reported, with what to set', async () => {
    const { env } = own;
    for (const [settings, sentence] of [
      [{}, 'set OPERATOR_TOKEN to its token, and CALLOUT_OPERATOR_URL'],
      [
        { ...env, CALLOUT_OPERATOR_URL: 'http://127.0.0.1:2/operator' },
        'cannot be reached at http://127.0.0.1:2 (ECONNREFUSED)',
      ],
      [{ OPERATOR_TOKEN: env['OPERATOR_TOKEN'] ?? '', OPERATOR_HOST: '::', OPERATOR_PORT: '2' }, 'http://[::1]:2'],
    ] as const) {
      const ran = await runAdmin(['lockouts', 'lift', 'crm'], settings);
      expect(ran).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(sentence) });
    }
    await expect(runAdmin(['zones', 'list'], { ...env, CALLOUT_OPERATOR_URL: 'ops' })).resolves.toMatchObject({
      status: 2,
      stderr: expect.stringContaining('CALLOUT_OPERATOR_URL must be'),
    });
  });

  it('that has another token is reported', async () => {
    const ran = await runAdmin(['zones', 'list'], { ...own.env, OPERATOR_TOKEN: 'x'.repeat(32) });
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining('OPERATOR_TOKEN must be the one') });
  });

  it('is not needed for the first tenant, which is made in the database', async () => {
    const { tenant, issued } = await aCredential(database.env, 'source');
    expect(issued).toMatchObject({ role: 'source', secret: expect.any(String) });
    expect(await runAdminForJson<Named[]>(['tenants', 'list'], database.env)).toContainEqual(
      expect.objectContaining({ name: tenant }),
    );
    await expect(runAdmin(['tenants', 'create', '--name', tenant], database.env)).resolves.toMatchObject({
      status: 1,
      stderr: `name ${tenant} is the name of another tenant\n`,
    });
    await expect(runAdmin(['tenants', 'set', tenant, '--name', 'x'], database.env)).resolves.toMatchObject({
      status: 1,
      stderr: expect.stringContaining('set OPERATOR_TOKEN'),
    });
  });
});

describe('what cannot be', () => {
  it.each([
    ['no such tenant', ['tenants', 'set', 'nobody', '--name', 'x'], 1, 'there is no tenant'],
    ['no such zone', ['tenants', 'create', '--name', 'x', '--zone', 'nowhere'], 1, 'there is no zone nowhere'],
    ['no such user name', ['credentials', 'revoke', 'nobody', '--yes'], 1, 'there is no user name nobody'],
    ['a wrong value', ['zones', 'create', '--name', 'x', '--url', 'ftp://x'], 2, 'scheme, host and port'],
    ['a number too large', 'tenants create --name x --callout-threshold 9999999999'.split(' '), 2, 'calloutThreshold'],
    ['an unknown command', ['tenantz'], 2, "unknown command 'tenantz'"],
    ['an unknown option', ['tenants', 'list', '--all'], 2, "unknown option '--all'"],
    ['too many words', ['tenants', 'list', 'acme'], 2, 'too many arguments'],
    ['a command that is missing', ['tenants'], 2, 'Usage: callout admin tenants'],
    ['an option that is missing', ['tenants', 'create'], 2, "'--name <name>' not specified"],
    ['nothing to change', ['tenants', 'set', 'x'], 2, 'at least one option'],
  ])('%s is reported, with the exit status', async (_, args, status, sentence) => {
    const ran = await run(...args);
    expect(ran).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(sentence) });
    const asJson = await run(...args, '--json');
    expect(asJson).toMatchObject({ status, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toMatchObject({ errors: [expect.any(String)] });
  });

  it.each([[[]], [['--help']], [['tenants', '--help']], [['credentials', 'create', '--help']], [['help', 'keys']]])(
    'callout %j teaches',
    async (args) => {
      const ran = await runAdmin(args);
      expect(ran.status).toBe(args.length === 0 ? 2 : 0);
      expect(ran.stdout + ran.stderr).toMatch(/^Usage: callout/);
    },
  );
});
