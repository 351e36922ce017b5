import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

// A webhook that is being deleted now is not selected, and a deleted one gets no callouts any more: one without an open
// call now never has one again. Rows that another transaction has locked are skipped until the next round.
const forget = statement<{ key: number }>(
  'deleted_webhooks_forget_secrets',
  `WITH done AS (
     SELECT w.key FROM webhooks w
     WHERE w.deleted_at IS NOT NULL AND w.secret_key_id <> ''
       AND NOT EXISTS (SELECT FROM open_callouts o WHERE o.webhook_key = w.key)
     ORDER BY w.key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE webhooks w SET secret_key_id = '', secret_nonce = '', secret_ciphertext = '', previous_secret_key_id = NULL,
     previous_secret_nonce = NULL, previous_secret_ciphertext = NULL, previous_secret_until = NULL,
     receiver_key_id = NULL, receiver_nonce = NULL, receiver_ciphertext = NULL, certificate_expires_at = NULL
   FROM done WHERE w.key = done.key RETURNING w.key`,
);

/**
 * Removes the secrets of deleted webhooks whose deactivation call has ended: the secrets signed that call, and nothing
 * needs them after it. An empty key id means that the secret is removed.
 * @param limit webhooks at most.
 * @returns the number of webhooks.
 */
export async function forgetDeletedSecrets(client: Client, limit: number): Promise<number> {
  return (await forget(client, [limit])).length;
}
