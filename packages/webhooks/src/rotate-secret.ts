import { randomBytes } from 'node:crypto';
import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { type KeyRing, type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import type { SecretRotation } from './input/secret-rotation.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database } from '@callout/database/connection/database';
import type { Prisma } from '@callout/database/generated/client';
import type { RowWatch } from '@callout/database/row-watch';
import { lockWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';
import { rotationOf } from './webhook-change.rules.ts';
import { valuesOfWebhook } from './webhook-values.ts';
import {
  fromRow,
  nextVersion,
  noPreviousSecret,
  secretColumns,
  withFieldRecords,
  type StoredWebhook,
} from './webhook-columns.ts';

const NONCE_BYTES = 12;
const HOUR_MS = 3_600_000;

/**
 * Gives a webhook a new key and keeps the present one as the previous key for `overlapHours` (0: not at all). Rotating to
 * the key that is the present one already is no second rotation, which would lose the key before: it only sets the end of
 * the overlap again. So a request may be repeated.
 * @throws a Problem `notFound` without such a webhook.
 */
export async function rotateSecret(
  { transaction, keyRing }: Pick<Database, 'transaction'> & { readonly keyRing: KeyRing },
  address: WebhookAddress,
  { secretKey, overlapHours }: SecretRotation,
  actor: Actor,
  watch?: RowWatch<StoredWebhook>,
): Promise<void> {
  await transaction(address.tenantId, async ({ models, sets }) => {
    const { key, guid, now } = await lockWebhook(sets, address);
    const webhook = await models.webhook.findUniqueOrThrow({ where: { key }, include: withFieldRecords });
    watch?.before?.(fromRow(webhook));
    const aad = secretAad(address.tenantId, guid);
    const encrypted = { keyId: webhook.secretKeyId, nonce: webhook.secretNonce, ciphertext: webhook.secretCiphertext };
    const present = tryToDecrypt(keyRing, encrypted, aad);
    const { tenantId } = address;
    const write = async (data: Prisma.WebhookUpdateInput) => {
      const after = await models.webhook.update({
        where: { key },
        data: { ...data, ...nextVersion(now) },
        include: withFieldRecords,
      });
      watch?.after?.(fromRow(after));
      const fields = fieldChanges(valuesOfWebhook(webhook), valuesOfWebhook(after));
      await recordChanges(sets, [{ tenantId, entity: 'webhook', webhookKey: key, action: 'updated', actor, fields }]);
    };
    const until = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);
    if (present === secretKey) {
      // A previous key whose time is over does not come back.
      if (webhook.previousSecretUntil === null || webhook.previousSecretUntil <= now) {
        watch?.after?.(fromRow(webhook));
        return;
      }
      await write(overlapHours > 0 ? { previousSecretUntil: until(overlapHours) } : noPreviousSecret);
      return;
    }
    const previous =
      present === undefined || overlapHours === 0
        ? noPreviousSecret
        : {
            previousSecretKeyId: webhook.secretKeyId,
            previousSecretNonce: webhook.secretNonce,
            previousSecretCiphertext: webhook.secretCiphertext,
            previousSecretUntil: until(overlapHours),
          };
    await write({ ...secretColumns(keyRing.encrypt(secretKey, aad, randomBytes(NONCE_BYTES))), ...previous });
    await storeOccurrences(sets, [rotationOf(key, 'secret', previous.previousSecretUntil, actor)]);
  });
}

/**
 * Undefined when the ring lacks the key. A secret that cannot be decrypted signs nothing, so rotating to a new one is
 * allowed.
 */
function tryToDecrypt(keyRing: KeyRing, encrypted: EncryptedSecret, aad: string): string | undefined {
  try {
    return keyRing.decrypt(encrypted, aad);
  } catch {
    return undefined;
  }
}
