import { byResource } from '@callout/domain/changes/actor';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { createDisposableDatabase } from '@callout/local/test-run';
import { deleteLeftovers } from '../sweep/leftovers.ts';
import { claimDueCallouts } from '../deliver/claim.ts';
import { settleAttempts } from '../settle/settle.ts';
import { claimRules, delivered, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { countSecretsByKey, reencryptSecrets } from '@callout/tenancy/operator/encrypted-secrets';
import { endWebhook } from '@callout/webhooks/webhook-changes';
import { useDatabase } from '@callout/database/fixtures/own-database';

const secret = { secretKeyId: 'old', secretNonce: Uint8Array.of(1), secretCiphertext: Uint8Array.of(2) };
const previous = {
  previousSecretKeyId: 'older',
  previousSecretNonce: Uint8Array.of(3),
  previousSecretCiphertext: Uint8Array.of(4),
  previousSecretUntil: new Date(Date.now() + 3_600_000),
};
/** What a webhook may have much of. */
const long = { receiverAuth: '{"kind":"mtls"}', condition: '{"op":"exist","field":"phone"}', caCertificate: 'PEM' };
const gone = {
  receiverAuth: '{"kind":"none"}',
  condition: null,
  caCertificate: null,
  secretKeyId: '',
  secretNonce: new Uint8Array(),
  secretCiphertext: new Uint8Array(),
  previousSecretKeyId: null,
  previousSecretNonce: null,
  previousSecretCiphertext: null,
  previousSecretUntil: null,
};

const database = useDatabase(createDisposableDatabase);
let tenantId: number;
/** Secrets of webhook 1, which is deleted; webhook 2 stays. */
let deleted: number;
let other: number;

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  deleted = await insertWebhook(database.pool, tenantId, 1);
  other = await insertWebhook(database.pool, tenantId, 2);
  await database.prisma.webhook.updateMany({ where: { tenantId }, data: { ...secret, ...previous, ...long } });
  await endWebhook(database, { tenantId, entityType: 'Account', id: 1 }, 'deleted', byResource(1));
});

const stored = (key: number) => database.prisma.webhook.findUniqueOrThrow({ where: { key } });

/** @returns of how many webhooks. */
async function forgetSecrets(): Promise<number | undefined> {
  const leftovers = await deleteLeftovers(database.pool, {
    keepDays: 0,
    keepChangesDays: 0,
    now: new Date(),
    isStopping: () => false,
  });
  return leftovers?.secrets;
}

async function deliverLastCall(): Promise<void> {
  const claimed = await claimDueCallouts(database.pool, [{ webhookKey: deleted, slots: 1 }], claimRules);
  const settlements = claimed.map((callout) => settlementOf(callout, delivered));
  await settleAttempts(database.pool, settlements, settleRules);
}

describe('the secrets and certificates of a deleted webhook', () => {
  it('are kept until its last call has ended and removed then; those of other webhooks stay', async () => {
    const before = await stored(other);
    await forgetSecrets();
    expect(await stored(deleted)).toMatchObject({ ...secret, ...previous, ...long });
    await deliverLastCall();
    expect(await forgetSecrets()).toBe(1);
    expect(await stored(deleted)).toMatchObject(gone);
    expect(await stored(other)).toEqual(before);
    expect(await forgetSecrets()).toBe(0);
  });

  it('are not encrypted again once they are removed', async () => {
    await deliverLastCall();
    await forgetSecrets();
    expect((await countSecretsByKey(database.pool)).map(({ keyId }) => keyId)).not.toContain('');
    const keyRing = KeyRing.parse(`new:${randomBytes(32).toString('base64')}`);
    const { unreadable } = await reencryptSecrets(database.pool, keyRing, { after: deleted - 1, limit: 1000 });
    // Of the other webhook.
    expect(new Set(unreadable.map(({ keyId }) => keyId))).toEqual(
      new Set([secret.secretKeyId, previous.previousSecretKeyId]),
    );
    expect(await stored(deleted)).toMatchObject(gone);
  });
});
