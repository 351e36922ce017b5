import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { fillTables, type FilledTenant } from '../filled-tables.fixture.ts';
import { exportTenant } from './export-tenant.ts';
import { openSecrets, type OpenedSecrets } from './open-secrets.ts';

const database = useDatabase(createDisposableDatabase);
const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
let one: FilledTenant;
let other: FilledTenant;
let guid: string;
let keysId: string;

beforeAll(async () => {
  const { pool } = database;
  await ensurePartitions(pool, new Date());
  one = await fillTables(pool, await insertTenant(pool));
  other = await fillTables(pool, await insertTenant(pool));
  const { rows } = await pool.query<{ guid: string }>('SELECT guid FROM webhooks WHERE key = $1', [one.webhookKey]);
  guid = rows[0]?.guid ?? '';
  const aad = secretAad(one.tenantId, guid);
  const encrypted = ring.encrypt('the secret', aad, randomBytes(12));
  const receiver = { requestHeaders: [{ name: 'X-Key', value: 'a header secret' }], receiverAuth: { kind: 'none' } };
  const encryptedReceiver = ring.encrypt(JSON.stringify({ ...receiver, authId: guid }), aad, randomBytes(12));
  await pool.query(
    `UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4, receiver_key_id = $2,
       receiver_nonce = $5, receiver_ciphertext = $6 WHERE key = $1`,
    [
      one.webhookKey,
      encrypted.keyId,
      encrypted.nonce,
      encrypted.ciphertext,
      encryptedReceiver.nonce,
      encryptedReceiver.ciphertext,
    ],
  );
  const keys = await pool.query<{ id: string }>('SELECT id FROM signing_keys WHERE tenant_id = $1', [one.tenantId]);
  keysId = keys.rows[0]?.id ?? '';
  const ofTenant = secretAad(one.tenantId, keysId);
  const [privateKey, previous] = ['whsk_now', 'whsk_before'].map((text) =>
    ring.encrypt(text, ofTenant, randomBytes(12)),
  );
  await pool.query(
    `UPDATE signing_keys SET public_key = $2, key_id = 'k1', nonce = $3, ciphertext = $4, previous_key_id = 'k1',
       previous_nonce = $5, previous_ciphertext = $6 WHERE tenant_id = $1`,
    [one.tenantId, Buffer.alloc(32), privateKey?.nonce, privateKey?.ciphertext, previous?.nonce, previous?.ciphertext],
  );
});

async function exported(secrets?: ReadonlyMap<string, OpenedSecrets>): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const write = async (line: string) => lines.push(line) > 0;
  await exportTenant(database.pool, one.tenantId, { write, ...(secrets !== undefined && { secrets }) });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('exporting a tenant', () => {
  it('writes a line of each kind, what is named first, and nothing of another tenant', async () => {
    const lines = await exported();
    expect(lines.map(({ kind }) => kind)).toEqual([
      'tenant',
      'zone',
      'resource',
      'credential',
      'userDefinedField',
      'record',
      'signingKey',
      'webhook',
      'change',
      'event',
      'callout',
      'attempt',
      'errorLog',
      'end',
    ]);
    expect(lines.at(-1)).toEqual({ kind: 'end', lines: 13 });
    expect(lines[0]).toMatchObject({ id: one.tenantId, createDateTime: expect.stringMatching(/\+00:00$/) });
    expect(lines[7]).toMatchObject({
      webhookGUID: guid,
      fields: [expect.objectContaining({ isSubscribedField: false })],
      udfFields: [expect.objectContaining({ udfFieldID: 1 })],
      excludedResources: [{ id: 1, resourceID: 1 }],
    });
    expect(lines[10]).toMatchObject({ id: one.calloutId, webhookGUID: guid, calloutKind: 'event', state: 'due' });
    expect(lines[10]).toMatchObject({ body: one.marker });
    expect(lines[11]).toMatchObject({ calloutID: one.calloutId, webhookGUID: guid });
    expect(JSON.stringify(lines)).not.toContain(other.marker);
  });

  it('has no secret in it by default, and on request each secret that can be decrypted', async () => {
    const { rows } = await database.pool.query<{ hash: string }>(
      `SELECT encode(secret_hash, 'hex') AS hash FROM credentials WHERE id = $1`,
      [one.credentialId],
    );
    const plain = JSON.stringify(await exported());
    for (const secret of [
      'the secret',
      'a header secret',
      'whsk_',
      'privateKey',
      'secretKey',
      'ciphertext',
      'apiIntegrationCode',
      rows[0]?.hash ?? 'none',
    ]) {
      expect(plain).not.toContain(secret);
    }
    const { secrets, unreadable } = await openSecrets(database.pool, ring, one.tenantId);
    expect(unreadable).toEqual([]);
    expect((await exported(secrets))[7]).toMatchObject({
      kind: 'webhook',
      secretKey: 'the secret',
      requestHeaders: [{ name: 'X-Key', value: 'a header secret' }],
    });
    expect((await exported(secrets))[6]).toMatchObject({
      kind: 'signingKey',
      id: keysId,
      signingPublicKey: 'whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      privateKey: 'whsk_now',
      previousPrivateKey: 'whsk_before',
    });
    const otherRing = KeyRing.parse(`k2:${randomBytes(32).toString('base64')}`);
    await expect(openSecrets(database.pool, otherRing, one.tenantId)).resolves.toMatchObject({
      unreadable: [guid, keysId],
    });
  });

  it('is of one moment, for any duration', async () => {
    const kinds: unknown[] = [];
    await exportTenant(database.pool, one.tenantId, {
      async write(line) {
        const { kind } = JSON.parse(line) as { kind: string };
        if (kind === 'tenant') {
          await database.pool.query(
            `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
             SELECT $1, 'Account', n, 1, '{}', '{}' FROM generate_series(100, 350) n`,
            [one.tenantId],
          );
        }
        kinds.push(kind);
        return true;
      },
    });
    expect(kinds.filter((kind) => kind === 'record')).toHaveLength(1);
    expect((await exported()).filter(({ kind }) => kind === 'record')).toHaveLength(252);
  });

  it('ends when the reader is gone', async () => {
    let written = 0;
    await exportTenant(database.pool, one.tenantId, { write: async () => (written += 1) < 3 });
    expect(written).toBe(3);
  });
});
