import { randomBytes, randomUUID } from 'node:crypto';
import { type EncryptedSecret, type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Actor } from '@callout/domain/changes/actor';
import { usesSigningKey } from '@callout/domain/callout/signature-kind';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { publicKeyText, signingKeyPair } from '@callout/domain/secrets/signing-key';
import type { Transaction } from '@callout/database/connection/database';
import { recordChanges } from '@callout/database/changes/record-changes';
import { statementFrom } from '@callout/database/connection/statement/statement';

const SEED_BYTES = 32;
const NONCE_BYTES = 12;

/** A key pair of a tenant to be stored. */
export interface NewSigningKey {
  /** The public id of the tenant's keys. */
  readonly id: string;
  readonly publicKey: Buffer;
  readonly privateKey: EncryptedSecret;
}

/** Makes a key pair for a tenant. The encryption is bound to the tenant and the id. */
export function newSigningKey(keyRing: KeyRing, tenantId: number, id: string = randomUUID()): NewSigningKey {
  const { publicKey, privateKey } = signingKeyPair(randomBytes(SEED_BYTES));
  return { id, publicKey, privateKey: keyRing.encrypt(privateKey, secretAad(tenantId, id), randomBytes(NONCE_BYTES)) };
}

/** A key pair for a tenant in case it has none, where a webhook is to have this kind of signature; else undefined. */
export function signingKeyFor(
  signatureKind: string | undefined,
  keyRing: KeyRing,
  tenantId: number,
): NewSigningKey | undefined {
  return signatureKind !== undefined && usesSigningKey(signatureKind) ? newSigningKey(keyRing, tenantId) : undefined;
}

const hold = statementFrom('webhooks:signing_keys_hold');

const insert = statementFrom<{ isMade: true }>('webhooks:signing_keys_insert');

/**
 * Makes sure that a tenant has a key pair, before one of its webhooks is stored that signs with it. Until the transaction
 * ends no rotation begins, which would not see that webhook and leave workers with the old key.
 * @param made is stored unless the tenant has a key pair already.
 */
export async function holdSigningKey(
  transaction: Transaction,
  tenantId: number,
  newKey: NewSigningKey,
  actor: Actor,
): Promise<void> {
  if ((await hold(transaction, [tenantId])).length > 0) return;
  const { id, publicKey, privateKey } = newKey;
  const values = [tenantId, id, publicKey, privateKey.keyId, privateKey.nonce, privateKey.ciphertext];
  const [inserted] = await insert(transaction, values);
  // Another transaction may have stored one at the same moment, whose commit the insertion has waited for.
  await hold(transaction, [tenantId]);
  if (inserted === undefined) return;
  const fields = fieldChanges(null, { signingPublicKey: publicKeyText(publicKey) });
  await recordChanges(transaction, [{ tenantId, entity: 'signingKey', action: 'created', actor, fields }]);
}
