import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { Problem } from '@callout/domain/problem';
import { type EncryptedSecret, type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { keyThumbprint } from '@callout/domain/secrets/signing-key';
import { judgeRotation, type SigningKeyRotation } from './input/signing-key-rotation.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database, Transaction } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { rotationOf } from './webhook-change.rules.ts';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';
import { newSigningKey } from './hold-signing-key.ts';
import { readSigningKeys, valuesOfSigningKeys, type TenantSigningKeys } from './signing-keys.ts';

interface LockedRow extends EncryptedSecret {
  id: string;
  publicKey: Buffer;
  previousPublicKey: Buffer | null;
}

const lock = statement<LockedRow>(
  'signing_keys_lock',
  `SELECT id, public_key AS "publicKey", key_id AS "keyId", nonce, ciphertext,
     CASE WHEN previous_until > now() THEN previous_public_key END AS "previousPublicKey"
   FROM signing_keys WHERE tenant_id = $1 FOR UPDATE`,
  'signing_keys',
);

const replace = statement(
  'signing_keys_replace',
  `UPDATE signing_keys SET previous_public_key = public_key, previous_created_at = created_at,
     previous_key_id = key_id, previous_nonce = nonce, previous_ciphertext = ciphertext,
     previous_until = now() + $6::int * interval '1 hour',
     public_key = $2, created_at = now(), key_id = $3, nonce = $4, ciphertext = $5
   WHERE tenant_id = $1`,
);

const setOverlap = statement(
  'signing_keys_set_overlap',
  `UPDATE signing_keys SET previous_until = now() + $2::int * interval '1 hour' WHERE tenant_id = $1`,
);

const forgetPrevious = statement(
  'signing_keys_forget_previous',
  `UPDATE signing_keys SET previous_public_key = NULL, previous_created_at = NULL, previous_key_id = NULL,
     previous_nonce = NULL, previous_ciphertext = NULL, previous_until = NULL WHERE tenant_id = $1`,
);

// A worker keeps the keys of a webhook for as long as callouts name its version. A deleted webhook has a call to sign.
const renewVersions = statement<{ key: number; isDeleted: boolean }>(
  'signing_keys_renew_versions',
  `WITH signed AS (
     SELECT key FROM webhooks WHERE tenant_id = $1 AND signature_kind <> 'hmac' AND secret_key_id <> ''
     ORDER BY key FOR NO KEY UPDATE
   )
   UPDATE webhooks w SET version = w.version + 1, updated_at = now() FROM signed WHERE w.key = signed.key
   RETURNING w.key, w.deleted_at IS NOT NULL AS "isDeleted"`,
  'webhooks',
);

/**
 * Gives a tenant a new key pair and keeps the present one as the previous one for `overlapHours` (0: not at all). All in
 * one transaction: no callout is signed between the keys. Rotating the key that is the previous one already is no second
 * rotation: it only sets the end of the overlap again. So a request may be repeated, and of two at once one rotates. Each
 * webhook that it signs for has the new public key among its changes.
 * @returns the public keys after it.
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
      const made = newSigningKey(keyRing, tenantId, id);
      const { keyId, nonce, ciphertext } = made.privateKey;
      await replace(sets, [tenantId, made.publicKey, keyId, nonce, ciphertext, overlapHours]);
      // A private key that cannot be decrypted signs nothing, so it has no overlap.
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
