import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { openDatabase, type Database } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { signingKeyRow } from '@callout/database/fixtures/signing-key-row';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { findMissingKeys, requireKeys } from './missing-keys.ts';
import { countSecretsByKey, reencryptSecrets, type UnreadableSecret } from './encrypted-secrets.ts';

// Secrets of the whole database are counted, so each test has one of its own.
let disposable: DisposableDatabase;
let database: Database;
let tenantId: number;

beforeEach(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 5, applicationName: 'test', onError: () => undefined });
  tenantId = await insertTenant(database.pool);
});
afterEach(async () => {
  await database.close();
  await disposable.drop();
});

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [oldKey, newKey, lostKey] = [key('old'), key('new'), key('lost')];
const oldRing = KeyRing.parse(oldKey);
const bothRing = KeyRing.parse(`${newKey},${oldKey}`);
const newRing = KeyRing.parse(newKey);

const rowOf = async (webhookKey: number) => database.prisma.webhook.findUniqueOrThrow({ where: { key: webhookKey } });

async function storeSecret(webhookKey: number, ring: KeyRing, secret: string): Promise<void> {
  const { guid } = await rowOf(webhookKey);
  const { keyId, nonce, ciphertext } = ring.encrypt(secret, secretAad(tenantId, guid), randomBytes(12));
  await database.pool.query(
    'UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4 WHERE key = $1',
    [webhookKey, keyId, nonce, ciphertext],
  );
}

async function webhooksWith(ring: KeyRing, count: number, firstId = 1): Promise<number[]> {
  const keys: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const webhookKey = await insertWebhook(database.pool, tenantId, firstId + nth);
    await storeSecret(webhookKey, ring, `secret ${webhookKey}`);
    keys.push(webhookKey);
  }
  return keys;
}

async function read(webhookKey: number, ring: KeyRing): Promise<string> {
  const { guid, secretKeyId, secretNonce, secretCiphertext } = await rowOf(webhookKey);
  const encrypted = { keyId: secretKeyId, nonce: secretNonce, ciphertext: secretCiphertext };
  return ring.decrypt(encrypted, secretAad(tenantId, guid));
}

/** As after a rotation: the previous key signs too, for the time of `overlap`. */
async function keepPrevious(webhookKey: number, ring: KeyRing, secret: string, overlap: string): Promise<void> {
  const { guid } = await rowOf(webhookKey);
  const { keyId, nonce, ciphertext } = ring.encrypt(secret, secretAad(tenantId, guid), randomBytes(12));
  await database.pool.query(
    `UPDATE webhooks SET previous_secret_key_id = $2, previous_secret_nonce = $3, previous_secret_ciphertext = $4,
       previous_secret_until = now() + $5::interval WHERE key = $1`,
    [webhookKey, keyId, nonce, ciphertext, overlap],
  );
}

async function readPrevious(webhookKey: number, ring: KeyRing): Promise<string> {
  const { guid, previousSecretKeyId, previousSecretNonce, previousSecretCiphertext } = await rowOf(webhookKey);
  if (previousSecretKeyId === null || previousSecretNonce === null || previousSecretCiphertext === null) return '';
  const encrypted = { keyId: previousSecretKeyId, nonce: previousSecretNonce, ciphertext: previousSecretCiphertext };
  return ring.decrypt(encrypted, secretAad(tenantId, guid));
}

async function reencryptAll(ring: KeyRing, limit: number) {
  const sizes: number[] = [];
  const unreadable: UnreadableSecret[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await reencryptSecrets(database.pool, ring, { after, limit });
    sizes.push(batch.reencrypted);
    unreadable.push(...batch.unreadable);
    after = batch.next;
  }
  return { sizes, unreadable };
}

describe('reencryptSecrets', () => {
  it('moves all secrets to the key that encrypts, batch by batch, and changes nothing else', async () => {
    const keys = await webhooksWith(oldRing, 7);
    const [deleted = 0] = keys;
    await database.pool.query('UPDATE webhooks SET deleted_at = now() WHERE key = $1', [deleted]);
    const before = await Promise.all(keys.map(rowOf));
    expect(await countSecretsByKey(database.pool)).toEqual([{ keyId: 'old', secrets: 7 }]);

    expect(await reencryptAll(bothRing, 3)).toEqual({ sizes: [3, 3, 1], unreadable: [] });

    expect(await countSecretsByKey(database.pool)).toEqual([{ keyId: 'new', secrets: 7 }]);
    for (const webhookKey of keys) expect(await read(webhookKey, newRing)).toBe(`secret ${webhookKey}`);
    const encrypted = { secretKeyId: '', secretNonce: [], secretCiphertext: [] };
    const after = await Promise.all(keys.map(rowOf));
    expect(after.map((row) => ({ ...row, ...encrypted }))).toEqual(before.map((row) => ({ ...row, ...encrypted })));
    expect(await reencryptAll(bothRing, 3)).toEqual({ sizes: [0], unreadable: [] });
  });

  it('moves the keys before a rotation as well, and forgets those whose overlap is over', async () => {
    const [during = 0, over = 0] = await webhooksWith(bothRing, 2);
    await keepPrevious(during, oldRing, 'before the rotation', '1 hour');
    await keepPrevious(over, oldRing, 'long gone', '-1 second');
    expect(await countSecretsByKey(database.pool)).toEqual([
      { keyId: 'new', secrets: 2 },
      { keyId: 'old', secrets: 1 },
    ]);
    const { previousSecretUntil } = await rowOf(during);

    expect(await reencryptAll(bothRing, 10)).toEqual({ sizes: [1], unreadable: [] });

    expect(await countSecretsByKey(database.pool)).toEqual([{ keyId: 'new', secrets: 3 }]);
    expect(await readPrevious(during, newRing)).toBe('before the rotation');
    expect(await read(during, newRing)).toBe(`secret ${during}`);
    expect(await rowOf(during)).toMatchObject({ previousSecretUntil, version: 1 });
    expect(await rowOf(over)).toMatchObject({ previousSecretKeyId: null, previousSecretCiphertext: null });
    expect(await read(over, newRing)).toBe(`secret ${over}`);
  });

  it('passes over deleted webhooks whose secrets are gone', async () => {
    const [webhookKey = 0] = await webhooksWith(oldRing, 1);
    await database.pool.query(
      "UPDATE webhooks SET deleted_at = now(), secret_key_id = '', secret_nonce = '', secret_ciphertext = '' WHERE key = $1",
      [webhookKey],
    );
    expect(await countSecretsByKey(database.pool)).toEqual([]);
    expect(await reencryptAll(bothRing, 10)).toEqual({ sizes: [0], unreadable: [] });
  });

  it('leaves a key before a rotation alone that does not open, and moves the present one', async () => {
    const [webhookKey = 0] = await webhooksWith(oldRing, 1);
    await keepPrevious(webhookKey, KeyRing.parse(lostKey), 'lost', '1 hour');
    const { guid } = await rowOf(webhookKey);
    const unreadable = [{ tenantId, webhookGuid: guid, keyId: 'lost' }];
    expect(await reencryptAll(bothRing, 10)).toEqual({ sizes: [1], unreadable });
    expect(await read(webhookKey, newRing)).toBe(`secret ${webhookKey}`);
    expect(await readPrevious(webhookKey, KeyRing.parse(lostKey))).toBe('lost');
  });

  it('leaves alone and names what does not open, and goes on with the rest', async () => {
    const [lost = 0] = await webhooksWith(KeyRing.parse(lostKey), 1);
    const [damaged = 0, fine = 0] = await webhooksWith(oldRing, 2, 2);
    await database.pool.query(`UPDATE webhooks SET secret_ciphertext = '\\x00' WHERE key = $1`, [damaged]);
    const { sizes, unreadable } = await reencryptAll(bothRing, 100);
    expect(sizes).toEqual([1]);
    expect(unreadable).toEqual([
      { tenantId, webhookGuid: (await rowOf(lost)).guid, keyId: 'lost' },
      { tenantId, webhookGuid: (await rowOf(damaged)).guid, keyId: 'old' },
    ]);
    expect(await read(fine, newRing)).toBe(`secret ${fine}`);
    expect(await read(lost, KeyRing.parse(lostKey))).toBe(`secret ${lost}`);
  });

  it('loses no change of a secret that is made meanwhile', async () => {
    const keys = await webhooksWith(oldRing, 20);
    const changes = keys.map((webhookKey) => storeSecret(webhookKey, bothRing, `changed ${webhookKey}`));
    const reencryption = reencryptAll(bothRing, 4);
    await Promise.all([...changes, reencryption, reencryptAll(bothRing, 4)]);
    for (const webhookKey of keys) expect(await read(webhookKey, newRing)).toBe(`changed ${webhookKey}`);
  });

  it('waits for who holds a webhook, and then sees its new secret', async () => {
    const [webhookKey = 0] = await webhooksWith(oldRing, 1);
    const { guid } = await rowOf(webhookKey);
    const secret = randomUUID();
    const encrypted = oldRing.encrypt(secret, secretAad(tenantId, guid), randomBytes(12));
    let reencryption: Promise<unknown> = Promise.resolve();
    await inTransaction(database.pool, async (transaction) => {
      await transaction.query('UPDATE webhooks SET secret_nonce = $2, secret_ciphertext = $3 WHERE key = $1', [
        webhookKey,
        encrypted.nonce,
        encrypted.ciphertext,
      ]);
      reencryption = reencryptAll(bothRing, 10);
      await untilATransactionWaits();
    });
    await reencryption;
    expect(await read(webhookKey, newRing)).toBe(secret);
  });
});

/** Stores key pairs of a tenant, the second one before a rotation. */
async function storeSigningKey(
  ofTenant: number,
  ring: KeyRing,
  previousRing = ring,
  overlap = '1 hour',
): Promise<void> {
  const id = randomUUID();
  const seal = (by: KeyRing, text: string) => by.encrypt(text, secretAad(ofTenant, id), randomBytes(12));
  const [now, before] = [seal(ring, 'whsk_now'), seal(previousRing, 'whsk_before')];
  await database.pool.query(
    `INSERT INTO signing_keys (tenant_id, id, public_key, key_id, nonce, ciphertext, previous_public_key,
       previous_created_at, previous_key_id, previous_nonce, previous_ciphertext, previous_until)
     VALUES ($1, $2, 'now', $3, $4, $5, 'before', now(), $6, $7, $8, now() + $9::interval)`,
    [ofTenant, id, now.keyId, now.nonce, now.ciphertext, before.keyId, before.nonce, before.ciphertext, overlap],
  );
}

async function readSigningKey(ofTenant: number, ring: KeyRing): Promise<[string, string | null]> {
  const row = await signingKeyRow(database.pool, ofTenant);
  if (row === undefined) throw new Error('the tenant has no key pair');
  const { id, keyId, nonce, ciphertext, previousKeyId, previousNonce, previousCiphertext } = row;
  const open = (encrypted: { keyId: string; nonce: Uint8Array; ciphertext: Uint8Array }) =>
    ring.decrypt(encrypted, secretAad(ofTenant, id));
  const hasPrevious = previousKeyId !== null && previousNonce !== null && previousCiphertext !== null;
  return [
    open({ keyId, nonce, ciphertext }),
    hasPrevious ? open({ keyId: previousKeyId, nonce: previousNonce, ciphertext: previousCiphertext }) : null,
  ];
}

describe('the private keys of tenants', () => {
  it('are counted and re-encrypted with the last batch, those before a rotation too while they sign', async () => {
    const [during, over, lost] = [tenantId, await insertTenant(database.pool), await insertTenant(database.pool)];
    await storeSigningKey(during, oldRing);
    await storeSigningKey(over, bothRing, oldRing, '-1 second');
    await storeSigningKey(lost, KeyRing.parse(lostKey), oldRing);
    await webhooksWith(oldRing, 3);
    expect(await countSecretsByKey(database.pool)).toEqual([
      { keyId: 'lost', secrets: 1 },
      { keyId: 'new', secrets: 1 },
      { keyId: 'old', secrets: 6 },
    ]);
    const before = await signingKeyRow(database.pool, during);

    const { sizes, unreadable } = await reencryptAll(bothRing, 2);
    expect(sizes).toEqual([2, 1 + 3]);
    expect(unreadable).toEqual([{ tenantId: lost, webhookGuid: null, keyId: 'lost' }]);

    expect(await readSigningKey(during, newRing)).toEqual(['whsk_now', 'whsk_before']);
    expect(await signingKeyRow(database.pool, during)).toMatchObject({
      publicKey: before?.publicKey,
      previousPublicKey: before?.previousPublicKey,
      previousUntil: before?.previousUntil,
    });
    expect(await readSigningKey(over, newRing)).toEqual(['whsk_now', null]);
    expect(await countSecretsByKey(database.pool)).toEqual([
      { keyId: 'lost', secrets: 1 },
      { keyId: 'new', secrets: 7 },
    ]);
  });
});

describe('findMissingKeys', () => {
  it('finds the keys in use that a ring lacks, those before a rotation included', async () => {
    await webhooksWith(newRing, 2);
    const [rotated = 0] = await webhooksWith(newRing, 1, 3);
    await webhooksWith(KeyRing.parse(lostKey), 2, 4);
    await keepPrevious(rotated, oldRing, 'before the rotation', '1 hour');
    expect(await findMissingKeys(database.pool, ['new', 'old', 'lost', 'spare'])).toEqual([]);
    expect(await findMissingKeys(database.pool, newRing.keyIds)).toEqual([
      { keyId: 'lost', secrets: 2 },
      { keyId: 'old', secrets: 1 },
    ]);
    const warnings: string[] = [];
    const warn = (line: string) => void warnings.push(line);
    const missing = await findMissingKeys(database.pool, newRing.keyIds);
    expect(() => requireKeys(missing, { lostKeyIds: ['lost'], warn })).toThrow(
      /^SECRET_KEYS does not fit the database: .*lacks the key lost: 2 webhook secrets are .*lacks the key old: 1 webhook secret is .*name it there as lost for good, old:lost,/,
    );
    expect(warnings).toEqual([]);
    requireKeys(missing, { lostKeyIds: ['lost', 'old'], warn });
    expect(warnings).toHaveLength(2);
  });
});

async function untilATransactionWaits(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    if (rows.length > 0) return;
  }
}
