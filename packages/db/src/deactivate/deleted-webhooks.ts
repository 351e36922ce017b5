import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';

// A webhook that is being deleted now is not among them, and one that is deleted gets no callouts any more: what is not
// owed now never will be. Whatever else holds such a row is passed over until the next time.
const forget = statement<{ key: number }>(
  'deleted_webhooks_forget_secrets',
  `WITH done AS (
     SELECT w.key FROM webhooks w
     WHERE w.deleted_at IS NOT NULL AND w.secret_key_id <> ''
       AND NOT EXISTS (SELECT FROM open_callouts o WHERE o.webhook_key = w.key)
     ORDER BY w.key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE webhooks w SET secret_key_id = '', secret_nonce = '', secret_ciphertext = '', previous_secret_key_id = NULL,
     previous_secret_nonce = NULL, previous_secret_ciphertext = NULL, previous_secret_until = NULL
   FROM done WHERE w.key = done.key RETURNING w.key`,
);

/**
 * Removes the secrets of deleted webhooks whose deactivation call has ended: until then they signed it, and nothing needs
 * them any more. An empty key id means that the secret is gone.
 * @param limit webhooks at most.
 * @returns of how many.
 */
export async function forgetDeletedSecrets(client: Client, limit: number): Promise<number> {
  return (await forget(client, [limit])).length;
}
