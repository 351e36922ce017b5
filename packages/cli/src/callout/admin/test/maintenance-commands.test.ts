import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { createDisposableDatabase } from '@callout/local/test-run';
import { createTestDatabase } from '@callout/testing';
import { runAdmin, runAdminForJson } from './run-admin.fixture.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let env: Record<string, string>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 2, applicationName: 'test', onError: () => undefined });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('callout admin migrate', () => {
  it('makes the tables, which commands need, and changes nothing the second time', async () => {
    const empty = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    try {
      env = { DATABASE_URL: empty.url };
      await expect(runAdmin(['tenants', 'list'], env)).resolves.toMatchObject({
        status: 1,
        stderr: expect.stringContaining('callout admin migrate'),
      });
      const first = await runAdminForJson<{ applied: string[] }>(['migrate'], env);
      expect(first.applied.length).toBeGreaterThan(0);
      expect(await runAdminForJson(['migrate'], env)).toEqual({ applied: [] });
      await expect(runAdmin(['migrate'], env)).resolves.toMatchObject({ stdout: 'The database is up to date.\n' });
      expect(await runAdminForJson(['tenants', 'list'], env)).toEqual([]);
    } finally {
      await empty.drop();
    }
  });
});

describe('callout admin keys', () => {
  const [old, fresh, lost] = [key('old'), key('fresh'), key('lost')];
  const ringEnv = (keys: string) => ({ DATABASE_URL: testDatabase.url, SECRET_KEYS: keys });

  async function webhookEncryptedWith(
    ring: string,
    tenantId: number,
    id: number,
  ): Promise<{ key: number; guid: string }> {
    const webhookKey = await insertWebhook(database.pool, tenantId, id);
    const { guid } = await database.prisma.webhook.findUniqueOrThrow({ where: { key: webhookKey } });
    const encrypted = KeyRing.parse(ring).encrypt(`secret ${id}`, secretAad(tenantId, guid), randomBytes(12));
    await database.pool.query(
      'UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4 WHERE key = $1',
      [webhookKey, encrypted.keyId, encrypted.nonce, encrypted.ciphertext],
    );
    return { key: webhookKey, guid };
  }

  it('shows what each key is needed for, moves secrets to the first, and names those it cannot read', async () => {
    await database.pool.query('DELETE FROM webhooks');
    const tenantId = await insertTenant(database.pool);
    for (const id of [1, 2, 3]) await webhookEncryptedWith(old, tenantId, id);
    const unreadable = await webhookEncryptedWith(lost, tenantId, 4);

    const shown = await runAdmin(['keys', 'status', '--json'], ringEnv(`${fresh},${old}`));
    expect(shown.status).toBe(1);
    expect(JSON.parse(shown.stdout)).toEqual([
      { keyID: 'fresh', secrets: 0, state: 'encrypts' },
      { keyID: 'old', secrets: 3, state: 'decrypts' },
      { keyID: 'lost', secrets: 1, state: 'missing' },
    ]);
    const ran = await runAdmin(['keys', 'reencrypt', '--limit', '2', '--json'], ringEnv(`${fresh},${old}`));
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual({
      keyID: 'fresh',
      reencrypted: 3,
      unreadable: [{ tenantID: tenantId, webhookGUID: unreadable.guid, keyID: 'lost' }],
    });
    const status = await runAdmin(['keys', 'status'], ringEnv(`${fresh},${old}`));
    expect(status.stdout).toMatch(/^old +0 +not needed any more$/m);
    expect(status.status).toBe(1);
    expect(await runAdminForJson(['keys', 'reencrypt'], ringEnv(`${fresh},${lost}`))).toMatchObject({ reencrypted: 1 });
    expect((await runAdmin(['keys', 'status'], ringEnv(fresh))).status).toBe(0);
    for (const secret of [old, fresh, lost]) expect(ran.stdout + status.stdout).not.toContain(secret.split(':')[1]);
  });

  it('needs the ring, and shows nothing of a wrong one', async () => {
    const ran = await runAdmin(['keys', 'reencrypt'], ringEnv('k1:not-a-key'));
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining('SECRET_KEYS must be') });
    expect(ran.stderr).not.toContain('not-a-key');
    for (const size of ['0', '1001', 'x']) {
      const sized = await runAdmin(['keys', 'reencrypt', '--limit', size], ringEnv(old));
      expect(sized).toMatchObject({ status: 2, stderr: expect.stringContaining('from 1 to 1000') });
    }
  });
});

describe('a database that cannot be used', () => {
  it.each<[Record<string, string>, string]>([
    [{ DATABASE_URL: 'postgres://callout:pa55word@127.0.0.1:1/callout' }, 'cannot be used now'],
    [{}, 'set OPERATOR_TOKEN'],
  ])('is reported without the password', async (settings, sentence) => {
    const ran = await runAdmin(['tenants', 'list'], settings);
    expect(ran).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(sentence) });
    expect(ran.stderr).not.toContain('pa55word');
  });
});

describe('the process', () => {
  it('ends by itself with the status, and writes nothing but the result to stdout', async () => {
    const file = path.resolve(import.meta.dirname, '../../../../bin/callout.js');
    const run = (...args: string[]) =>
      new Promise<{ status: unknown; stdout: string }>((resolve) => {
        const env = { DATABASE_URL: testDatabase.url };
        execFile(process.execPath, [file, 'admin', ...args], { env }, (error, stdout) =>
          resolve({ status: error?.code ?? 0, stdout }),
        );
      });
    const [listed, missing, wrong] = await Promise.all([
      run('tenants', 'list', '--json'),
      run('tenants', 'set', 'nobody', '--name', 'x'),
      run('tenants', 'nonsense'),
    ]);
    expect(listed.status).toBe(0);
    expect(Array.isArray(JSON.parse(listed.stdout))).toBe(true);
    expect(missing).toEqual({ status: 1, stdout: '' });
    expect(wrong).toEqual({ status: 2, stdout: '' });
  });
});
