import { randomBytes } from 'node:crypto';
import { Problem, secretAad, type KeyRing, type SealedSecret, type SecretRotation } from '@callout/core';
import type { Pool } from 'pg';
import { inTransaction } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';

interface LockedSecret extends SealedSecret {
  key: number;
  guid: string;
}

const NONCE_BYTES = 12;

const lock = statement<LockedSecret>(
  'rotation_lock',
  `SELECT key, guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext
   FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL FOR NO KEY UPDATE`,
);

// The right-hand sides are the row as it was: the present key becomes the previous one.
const rotate = statement(
  'rotation_rotate',
  `UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4,
     previous_secret_key_id = CASE WHEN $5 > 0 THEN secret_key_id END,
     previous_secret_nonce = CASE WHEN $5 > 0 THEN secret_nonce END,
     previous_secret_ciphertext = CASE WHEN $5 > 0 THEN secret_ciphertext END,
     previous_secret_until = CASE WHEN $5 > 0 THEN now() + $5 * interval '1 hour' END,
     version = version + 1, updated_at = now()
   WHERE key = $1`,
);

// A previous key whose time is over does not come back.
const moveEnd = statement(
  'rotation_move_end',
  `UPDATE webhooks SET previous_secret_key_id = CASE WHEN $2 > 0 THEN previous_secret_key_id END,
     previous_secret_nonce = CASE WHEN $2 > 0 THEN previous_secret_nonce END,
     previous_secret_ciphertext = CASE WHEN $2 > 0 THEN previous_secret_ciphertext END,
     previous_secret_until = CASE WHEN $2 > 0 THEN now() + $2 * interval '1 hour' END,
     version = version + 1, updated_at = now()
   WHERE key = $1 AND previous_secret_until > now()`,
);

/**
 * Gives a webhook a new key and keeps the present one as the previous key for `overlapHours` (0: not at all). Rotating to
 * the key that is the present one already is no second rotation, which would lose the key before: it only sets the end of
 * the overlap anew. So a request may be repeated.
 * @throws a Problem 404 without such a webhook.
 */
export async function rotateSecret(
  { pool, keyRing }: { readonly pool: Pool; readonly keyRing: KeyRing },
  { tenantId, entityType, id }: WebhookAddress,
  { secretKey, overlapHours }: SecretRotation,
): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    const [webhook] = await lock(transaction, [tenantId, entityType, id]);
    if (webhook === undefined) throw Problem.notFound();
    const aad = secretAad(tenantId, webhook.guid);
    const present = tryToOpen(keyRing, webhook, aad);
    if (present === secretKey) {
      await moveEnd(transaction, [webhook.key, overlapHours]);
      return;
    }
    const { keyId, nonce, ciphertext } = keyRing.seal(secretKey, aad, randomBytes(NONCE_BYTES));
    const keptHours = present === undefined ? 0 : overlapHours;
    await rotate(transaction, [webhook.key, keyId, nonce, ciphertext, keptHours]);
  });
}

/** Undefined when the ring lacks the key: a secret that nobody can read signs nothing, and a new one is the way out. */
function tryToOpen(keyRing: KeyRing, sealed: SealedSecret, aad: string): string | undefined {
  try {
    return keyRing.open(sealed, aad);
  } catch {
    return undefined;
  }
}
