import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { Problem } from '@callout/domain/problem';
import { type EncryptedSecret, type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { keyThumbprint } from '@callout/domain/secrets/signing-key';
import { judgeRotation, type SigningKeyRotation } from './input/signing-key-rotation.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database, Transaction } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { rotationOf } from './webhook-change.rules.ts';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';
import { newSigningKey } from './hold-signing-key.ts';
import { readSigningKeys, valuesOfSigningKeys, type TenantSigningKeys } from './signing-keys.ts';

interface LockedRow extends EncryptedSecret {
  id: string;
  publicKey: Buffer;
  previousPublicKey: Buffer | null;
}

const lock = statementFrom<LockedRow>('webhooks:signing_keys_lock');
const replace = statementFrom('webhooks:signing_keys_replace');
const setOverlap = statementFrom('webhooks:signing_keys_set_overlap');
const forgetPrevious = statementFrom('webhooks:signing_keys_forget_previous');
const renewVersions = statementFrom<{ key: number; isDeleted: boolean }>('webhooks:signing_keys_renew_versions');

/**
 * Gives a tenant a new key pair and keeps the present pair as the previous pair for `overlapHours` (0: not at all), in a
 * single transaction: no callout is signed between the keys. A rotation of the previous key only sets the end of the
 * overlap again. So a request may be repeated, and of two requests at once only the first rotates. Each webhook that the
 * pair signs for has the new public key among the recorded changes.
 * @returns the public keys after the rotation.
 * @throws a Problem: `conflict` when the tenant has no key pair, or `kid` names another key.
 */
export async function rotateSigningKey(
  { transaction, keyRing }: Pick<Database, 'transaction'> & { readonly keyRing: KeyRing },
  tenantId: number,
  { kid, overlapHours }: SigningKeyRotation,
  actor: Actor,
): Promise<TenantSigningKeys> {
  return transaction(tenantId, async ({ sets }) => {
    const [stored] = await lock(sets, [tenantId]);
    if (stored === undefined) throw noSigningKey();
    const { id, publicKey, previousPublicKey } = stored;
    const before = await mustHaveKeys(sets, tenantId);
    const previous = previousPublicKey && keyThumbprint(previousPublicKey);
    const isRotated = judgeRotation({ current: keyThumbprint(publicKey), previous }, kid) === 'rotate';
    if (isRotated) {
      const newKey = newSigningKey(keyRing, tenantId, id);
      const { keyId, nonce, ciphertext } = newKey.privateKey;
      await replace(sets, [tenantId, newKey.publicKey, keyId, nonce, ciphertext, overlapHours]);
      // A private key that cannot be decrypted signs nothing and needs no overlap.
      if (overlapHours === 0 || !opens(keyRing, stored, secretAad(tenantId, id)))
        await forgetPrevious(sets, [tenantId]);
    } else if (overlapHours === 0) {
      await forgetPrevious(sets, [tenantId]);
    } else {
      await setOverlap(sets, [tenantId, overlapHours]);
    }
    const signed = await renewVersions(sets, [tenantId]);
    const keys = await mustHaveKeys(sets, tenantId);
    const fields = fieldChanges(valuesOfSigningKeys(before), valuesOfSigningKeys(keys));
    const entry = { tenantId, action: 'updated', actor } as const;
    const webhookKeys = isRotated ? signed.filter(({ isDeleted }) => !isDeleted).map(({ key }) => key) : [];
    const ofWebhooks = fields.filter(({ field }) => field === 'signingPublicKey');
    await recordChanges(sets, [
      { ...entry, entity: 'signingKey', fields },
      ...webhookKeys.map((webhookKey) => ({ ...entry, entity: 'webhook' as const, webhookKey, fields: ofWebhooks })),
    ]);
    const previousUntil = keys.previous?.until ?? null;
    await storeOccurrences(
      sets,
      webhookKeys.map((key) => rotationOf(key, 'signingKey', previousUntil, actor)),
    );
    return keys;
  });
}

async function mustHaveKeys(transaction: Transaction, tenantId: number): Promise<TenantSigningKeys> {
  const keys = await readSigningKeys(transaction, tenantId);
  if (keys === undefined) throw new Error('the locked signing key is gone');
  return keys;
}

function noSigningKey(): Problem {
  return Problem.conflict(
    'The tenant has no signing key yet: it gets one with the first webhook whose signatureKind is ed25519 or both.',
  );
}

function opens(keyRing: KeyRing, encrypted: EncryptedSecret, aad: string): boolean {
  try {
    keyRing.decrypt(encrypted, aad);
    return true;
  } catch {
    return false;
  }
}
