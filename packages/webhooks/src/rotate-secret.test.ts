import { byOperator } from '@callout/domain/changes/actor';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing, type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import { createDisposableDatabase } from '@callout/local/test-run';
import { readTarget } from '@callout/pipeline/deliver/targets';
import { rotateSecret } from './rotate-secret.ts';
import { useRepairs, type Target } from '@callout/pipeline/repair/ended-callouts.fixture';

const keyRing = KeyRing.parse(`k:${randomBytes(32).toString('base64')}`);
const hourMs = 3_600_000;

const setup = useRepairs(createDisposableDatabase);
let target: Target;

beforeEach(async () => {
  target = await setup.makeWebhook();
  await rotate('the first secret', 0);
});

const rotate = (secretKey: string, overlapHours: number, address = target.address) =>
  rotateSecret({ transaction: setup.database.transaction, keyRing }, address, { secretKey, overlapHours }, byOperator);

/** The keys as a worker gets them, opened, and for how many hours about the previous one signs too. */
async function keys(): Promise<{ current: string; previous: string | null; hours: number | null; version: number }> {
  const stored = await readTarget(setup.database.pool, target.key);
  if (stored === null) throw new Error('no target');
  const aad = secretAad(target.tenantId, stored.webhookGuid);
  const open = (encrypted: EncryptedSecret) => keyRing.decrypt(encrypted, aad);
  const { secret, previousSecret, webhookVersion } = stored;
  return {
    current: open(secret),
    previous: previousSecret && open(previousSecret.encrypted),
    hours: previousSecret && Math.round((previousSecret.until.getTime() - Date.now()) / hourMs),
    version: webhookVersion,
  };
}

describe('rotateSecret', () => {
  it('keeps the present key as the previous one for the overlap, in a new version of the webhook', async () => {
    const { version } = await keys();
    await rotate('the second secret', 24);
    expect(await keys()).toEqual({
      current: 'the second secret',
      previous: 'the first secret',
      hours: 24,
      version: version + 1,
    });
  });

  it('keeps nothing without an overlap', async () => {
    await rotate('the second secret', 24);
    await rotate('the third secret', 0);
    expect(await keys()).toMatchObject({ current: 'the third secret', previous: null });
    const row = await setup.database.prisma.webhook.findUniqueOrThrow({ where: { key: target.key } });
    expect(row).toMatchObject({ previousSecretKeyId: null, previousSecretNonce: null, previousSecretCiphertext: null });
  });

  it('makes the present key the previous one when it is called again during an overlap', async () => {
    await rotate('the second secret', 24);
    await rotate('the third secret', 168);
    expect(await keys()).toMatchObject({ current: 'the third secret', previous: 'the second secret', hours: 168 });
  });

  it('loses no key when the same rotation is asked for again, and can end the overlap', async () => {
    await rotate('the second secret', 24);
    await rotate('the second secret', 48);
    expect(await keys()).toMatchObject({ current: 'the second secret', previous: 'the first secret', hours: 48 });
    await rotate('the second secret', 0);
    expect(await keys()).toMatchObject({ current: 'the second secret', previous: null });
    await rotate('the second secret', 24);
    expect(await keys()).toMatchObject({ previous: null });
  });

  it('reveals nothing of a key whose overlap is over', async () => {
    await rotate('the second secret', 1);
    const over = "UPDATE webhooks SET previous_secret_until = now() - interval '1 second' WHERE key = $1";
    await setup.database.pool.query(over, [target.key]);
    expect(await keys()).toMatchObject({ current: 'the second secret', previous: null });
  });

  it('replaces a secret that can no longer be decrypted, without an overlap', async () => {
    await setup.database.pool.query("UPDATE webhooks SET secret_key_id = 'lost' WHERE key = $1", [target.key]);
    await rotate('the second secret', 24);
    expect(await keys()).toMatchObject({ current: 'the second secret', previous: null });
  });

  it('does not know a webhook of another tenant, or a deleted one', async () => {
    const other = await setup.makeWebhook();
    const elsewhere = { ...target.address, tenantId: other.tenantId, id: 2 };
    await expect(rotate('x', 1, elsewhere)).rejects.toMatchObject({ kind: 'notFound' });
    await setup.database.pool.query('UPDATE webhooks SET deleted_at = now() WHERE key = $1', [target.key]);
    await expect(rotate('x', 1)).rejects.toMatchObject({ kind: 'notFound' });
  });
});
