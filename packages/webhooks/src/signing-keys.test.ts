import { byOperator } from '@callout/domain/changes/actor';
import { randomBytes, randomUUID, verify, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { signingKeyRow } from '@callout/database/fixtures/signing-key-row';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { keyThumbprint, openSigningKey, signingJwk } from '@callout/domain/secrets/signing-key';
import { keysAt, openTarget, readTarget } from '@callout/pipeline/deliver/targets';
import { holdSigningKey, newSigningKey } from './hold-signing-key.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';
import { findSigningKeys, readSigningKeys, type TenantSigningKeys } from './signing-keys.ts';

const keyRing = KeyRing.parse(`k:${randomBytes(32).toString('base64')}`);
const database = useDatabase(createDisposableDatabase);
let tenantId: number;
let webhookKey: number;

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

const hold = () =>
  database.transaction(tenantId, ({ sets }) =>
    holdSigningKey(sets, tenantId, newSigningKey(keyRing, tenantId), byOperator),
  );
const rotate = (kid: string, overlapHours: number) =>
  rotateSigningKey({ transaction: database.transaction, keyRing }, tenantId, { kid, overlapHours }, byOperator);

async function keys(): Promise<TenantSigningKeys> {
  const found = await readSigningKeys(database.pool, tenantId);
  if (found === undefined) throw new Error('the tenant has no keys');
  return found;
}

const kidOf = ({ publicKey }: { publicKey: Buffer }) => keyThumbprint(publicKey);
const currentKid = async () => kidOf((await keys()).current);

async function signWith(kind: string): Promise<void> {
  await database.pool.query('UPDATE webhooks SET signature_kind = $2 WHERE key = $1', [webhookKey, kind]);
}

/** Which public keys verify what a worker signs for the webhook now. */
async function signers(): Promise<string[]> {
  const stored = await readTarget(database.pool, webhookKey);
  if (stored === null) throw new Error('no target');
  const { ed25519 } = keysAt(openTarget({ ...stored, signatureKind: 'ed25519' }, keyRing), Date.now());
  const all = ed25519 === undefined ? [] : [ed25519.current, ed25519.previous];
  const known = await keys();
  const text = Buffer.from('signed');
  return all.flatMap((privateKey) => {
    if (privateKey === undefined) return [];
    const signature = sign(null, text, privateKey);
    const { current, previous } = known;
    return [current, previous].flatMap((one) =>
      one !== null && verify(null, text, { key: { ...signingJwk(one.publicKey) }, format: 'jwk' }, signature)
        ? [kidOf(one)]
        : [],
    );
  });
}

describe('the key pair of a tenant', () => {
  it('is made once, also by several at the same moment, and is stored encrypted', async () => {
    expect(await readSigningKeys(database.pool, tenantId)).toBeUndefined();
    await Promise.all(Array.from({ length: 5 }, hold));
    const { id, current, previous } = await keys();
    await hold();
    expect((await keys()).current).toEqual(current);
    expect(previous).toBeNull();
    expect(await findSigningKeys(database.pool, id)).toEqual(await keys());
    expect(await findSigningKeys(database.pool, randomUUID())).toBeUndefined();
    const row = await signingKeyRow(database.pool, tenantId);
    if (row === undefined) throw new Error('the tenant has no keys');
    const { keyId, nonce, ciphertext } = row;
    const privateKey = keyRing.decrypt({ keyId, nonce, ciphertext }, secretAad(tenantId, id));
    expect(privateKey).toMatch(/^whsk_/u);
    expect(Buffer.from(ciphertext).includes(Buffer.from(privateKey))).toBe(false);
    const signature = sign(null, Buffer.from('x'), openSigningKey(privateKey));
    const jwk = { key: { ...signingJwk(current.publicKey) }, format: 'jwk' } as const;
    expect(verify(null, Buffer.from('x'), jwk, signature)).toBe(true);
  });

  it('is not read for a webhook that only its secret signs for', async () => {
    await hold();
    expect(await readTarget(database.pool, webhookKey)).toMatchObject({
      signatureKind: 'hmac',
      signingKey: null,
    });
    await signWith('both');
    expect(await readTarget(database.pool, webhookKey)).toMatchObject({
      signingKey: { id: (await keys()).id },
    });
  });
});

describe('rotateSigningKey', () => {
  beforeEach(async () => {
    await hold();
    await signWith('ed25519');
  });
  afterEach(async () => {
    await database.pool.query('DELETE FROM signing_keys WHERE tenant_id = $1', [tenantId]);
  });

  it('signs with both keys during the overlap, under the same address, in new versions of the signed webhooks', async () => {
    const plain = await insertWebhook(database.pool, tenantId, 2);
    const before = await keys();
    const rotated = await rotate(kidOf(before.current), 24);
    expect(rotated.id).toBe(before.id);
    expect(rotated.previous).toMatchObject({
      publicKey: before.current.publicKey,
      createdAt: before.current.createdAt,
    });
    expect(rotated.previous?.until.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await signers()).toEqual([kidOf(rotated.current), kidOf(before.current)]);
    const versions = await database.prisma.webhook.findMany({ where: { tenantId }, orderBy: { key: 'asc' } });
    expect(versions.map(({ key, version }) => [Number(key), version])).toEqual([
      [webhookKey, 2],
      [plain, 1],
    ]);
  });

  it('is among the changes of each webhook that it signs for, once, and in that of no other', async () => {
    await insertWebhook(database.pool, tenantId, 2);
    const deleted = await insertWebhook(database.pool, tenantId, 3);
    await database.pool.query("UPDATE webhooks SET signature_kind = 'both', deleted_at = now() WHERE key = $1", [
      deleted,
    ]);
    const first = await currentKid();
    for (const overlapHours of [1, 24, 0]) await rotate(first, overlapHours);
    const where = { tenantId, action: 'updated', entity: 'webhook' };
    const changes = await database.prisma.change.findMany({ where });
    expect(changes.map(({ webhookKey: key, fields }) => [Number(key), fields])).toEqual([
      [webhookKey, [expect.objectContaining({ field: 'signingPublicKey' })]],
    ]);
    expect(await database.prisma.change.count({ where: { ...where, entity: 'signingKey' } })).toBe(3);
  });

  it('keeps nothing without an overlap, and after it nothing signs with the old key', async () => {
    await rotate(await currentKid(), 24);
    const rotated = await rotate(await currentKid(), 0);
    expect(rotated.previous).toBeNull();
    expect(await signers()).toEqual([kidOf(rotated.current)]);
    const row = await signingKeyRow(database.pool, tenantId);
    expect(row).toMatchObject({ previousPublicKey: null, previousCiphertext: null, previousKeyId: null });

    await rotate(await currentKid(), 1);
    await database.pool.query("UPDATE signing_keys SET previous_until = now() - interval '1 s' WHERE tenant_id = $1", [
      tenantId,
    ]);
    expect((await keys()).previous).toBeNull();
    expect(await signers()).toEqual([await currentKid()]);
  });

  it('rotates once when the request is repeated, which sets or ends the overlap', async () => {
    const first = await currentKid();
    const { current } = await rotate(first, 1);
    const again = await rotate(first, 100);
    expect(kidOf(again.current)).toBe(kidOf(current));
    expect(again.previous?.until.getTime()).toBeGreaterThan(Date.now() + 99 * 3_600_000);
    expect((await rotate(first, 0)).previous).toBeNull();
    await expect(rotate(first, 1)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await currentKid()).toBe(kidOf(current));
  });

  it('rotates once for several admins at the same moment', async () => {
    const first = await currentKid();
    const rotated = await Promise.all(Array.from({ length: 6 }, () => rotate(first, 24)));
    expect(new Set(rotated.map(({ current }) => kidOf(current))).size).toBe(1);
    expect(await signers()).toEqual([await currentKid(), first]);
  });

  it('refuses another key, and a tenant that has none', async () => {
    await expect(rotate('unknown', 1)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining(`which is ${await currentKid()}`),
    });
    await database.pool.query('DELETE FROM signing_keys WHERE tenant_id = $1', [tenantId]);
    await expect(rotate('unknown', 1)).rejects.toMatchObject({
      message: expect.stringContaining('no signing key yet'),
    });
  });

  it('replaces a private key that can no longer be decrypted, without an overlap', async () => {
    await database.pool.query("UPDATE signing_keys SET key_id = 'lost' WHERE tenant_id = $1", [tenantId]);
    const rotated = await rotate(await currentKid(), 24);
    expect(rotated.previous).toBeNull();
    expect(await signers()).toEqual([kidOf(rotated.current)]);
  });

  it('changes nothing when it is cut short before its end', async () => {
    const before = await keys();
    const cutShort = {
      transaction: <T>(of: number | null, work: Parameters<typeof database.transaction<T>>[1]) =>
        database.transaction<T>(of, async (shared) => {
          await work(shared);
          throw new Error('the process died');
        }),
    };
    await expect(
      rotateSigningKey(
        { ...cutShort, keyRing },
        tenantId,
        { kid: kidOf(before.current), overlapHours: 24 },
        byOperator,
      ),
    ).rejects.toThrow('the process died');
    expect(await keys()).toEqual(before);
    expect(await signers()).toEqual([kidOf(before.current)]);
    expect(await database.prisma.change.count({ where: { tenantId, action: 'updated' } })).toBe(0);
  });

  it('waits for a webhook that is about to sign with the key, and gives it a new version too', async () => {
    await signWith('hmac');
    const first = await currentKid();
    let rotation: Promise<unknown> = Promise.resolve();
    await database.transaction(tenantId, async ({ sets }) => {
      await holdSigningKey(sets, tenantId, newSigningKey(keyRing, tenantId), byOperator);
      rotation = rotate(first, 24);
      await untilATransactionWaits();
      await sets.query("UPDATE webhooks SET signature_kind = 'both', version = version + 1 WHERE key = $1", [
        webhookKey,
      ]);
    });
    await rotation;
    const { version } = await database.prisma.webhook.findUniqueOrThrow({ where: { key: webhookKey } });
    expect(version).toBe(3);
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
