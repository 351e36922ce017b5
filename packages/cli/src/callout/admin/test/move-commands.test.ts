import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { insertWebhook } from '@callout/database/fixtures/tenant';
import { useCommandDatabase } from './command-database.fixture.ts';
import { runAdmin, runAdminForJson } from './run-admin.fixture.ts';

const here = useCommandDatabase();
const there = useCommandDatabase();
const keys = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [ownKeys, otherKeys] = [keys('here'), keys('there')];
const envs = () => ({
  source: { ...here.env, SECRET_KEYS: ownKeys, TO_DATABASE_URL: there.url, TO_SECRET_KEYS: otherKeys },
  target: { ...there.env, SECRET_KEYS: otherKeys },
});

/** A tenant with a user and a webhook, and a zone that both databases know. */
async function aTenant(name: string): Promise<void> {
  const { source, target } = envs();
  for (const env of [source, target]) {
    await runAdmin(['zones', 'create', '--name', 'eu2', '--url', 'https://eu2.example', '--default'], env);
  }
  const { id } = await runAdminForJson<{ id: number }>(['tenants', 'create', '--name', name], source);
  await runAdminForJson(['resources', 'create', '--tenant', name, '--email', 'a@example.com'], source);
  await runAdminForJson(
    ['credentials', 'create', '--tenant', name, '--resource', '1', '--user-name', `a@${name}`, '--role', 'admin'],
    source,
  );
  const { pool } = here.database;
  const key = await insertWebhook(pool, id, 1);
  const { rows } = await pool.query<{ guid: string }>('SELECT guid FROM webhooks WHERE key = $1', [key]);
  const encrypted = KeyRing.parse(ownKeys).encrypt('a secret', secretAad(id, rows[0]?.guid ?? ''), randomBytes(12));
  await pool.query('UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4 WHERE key = $1', [
    key,
    encrypted.keyId,
    Buffer.from(encrypted.nonce),
    Buffer.from(encrypted.ciphertext),
  ]);
}

describe('callout admin tenants move', () => {
  it('says what it would do, does it, and erases what is left', async () => {
    await aTenant('acme');
    const { source, target } = envs();
    const planned = await runAdmin(['tenants', 'move', 'acme', '--zone', 'eu2', '--dry-run'], source);
    expect(planned).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing prevents the move.') });
    expect(planned.stdout).toContain('  webhooks: 1\n');
    const unknown = await runAdmin(['tenants', 'move', 'acme', '--zone', 'mars', '--dry-run'], source);
    expect(unknown).toMatchObject({ status: 1, stdout: expect.stringContaining('knows no zone mars') });
    expect(await runAdmin(['tenants', 'move', 'acme', '--zone', 'mars'], source)).toMatchObject({ status: 2 });

    const moved = await runAdmin(['tenants', 'move', 'acme', '--zone', 'eu2'], source);
    expect(moved.stdout).toMatch(
      /^Tenant \d+ \(acme\) is served by the zone eu2, as tenant \d+ there\. Its changes were refused for [\d.]+ s\. What it had here is kept: callout admin tenants delete acme erases it\.\n$/,
    );
    const there2 = await runAdminForJson<{ name: string }[]>(['tenants', 'list'], target);
    expect(there2.map(({ name }) => name)).toEqual(['acme']);
    const again = await runAdminForJson(['tenants', 'move', 'acme', '--zone', 'eu2', '--delete-source'], source);
    expect(again).toMatchObject({ name: 'acme', isSourceDeleted: true, frozenMs: 0 });
    expect(await here.database.prisma.webhook.count()).toBe(0);
    expect(await there.database.prisma.webhook.count()).toBe(1);
  });

  it('undoes a move, and says what it needs', async () => {
    await aTenant('beta');
    const { source } = envs();
    const undone = await runAdmin(['tenants', 'move', 'beta', '--abort'], source);
    expect(undone).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Tenant \d+ \(beta\) is not being moved\.\n$/),
    });
    const { TO_DATABASE_URL: _, ...without } = source;
    expect(await runAdmin(['tenants', 'move', 'beta', '--zone', 'eu2'], without)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--to-database or TO_DATABASE_URL is needed'),
    });
    expect(await runAdmin(['tenants', 'move', 'beta'], source)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--zone is needed'),
    });
  });
});

describe('callout admin zones learn', () => {
  it('reads the users of another zone, as often as it is asked', async () => {
    const { target } = envs();
    await aTenant('gamma');
    await runAdmin(['zones', 'create', '--name', 'eu1', '--url', 'https://eu1.example'], target);
    const learn = () => runAdminForJson(['zones', 'learn', 'eu1', '--from-database', here.url], target);
    const users = async () =>
      (await there.database.prisma.zoneUser.findMany({ where: { zone: { name: 'eu1' } } })).map(
        ({ userNameFolded }) => userNameFolded,
      );
    expect(await learn()).toMatchObject({ name: 'eu1' });
    expect(await users()).toContain('a@gamma');
    const { id } = await here.database.prisma.tenant.findUniqueOrThrow({ where: { name: 'gamma' } });
    await here.database.prisma.credential.updateMany({ where: { tenantId: id }, data: { revokedAt: new Date() } });
    await learn();
    expect(await users()).not.toContain('a@gamma');
  });
});
