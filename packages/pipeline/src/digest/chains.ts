import { chainStart } from '@callout/domain/callout/chain';
import type { Transaction } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

const begin = statement(
  'digest_begin_chain',
  `INSERT INTO webhook_chains AS c (webhook_key, tenant_id, last_number, last_value, digest_number, next_digest_at)
   SELECT key, tenant_id, last_sequence, $3, last_sequence, date_trunc($2, now(), 'UTC') + ('1 ' || $2)::interval
   FROM webhooks WHERE key = $1
   ON CONFLICT (webhook_key) DO UPDATE SET next_digest_at = EXCLUDED.next_digest_at`,
  'webhook_chains',
);

const end = statement(
  'digest_end_chain',
  `WITH parts AS (DELETE FROM chain_parts WHERE webhook_key = $1)
   DELETE FROM webhook_chains WHERE webhook_key = $1`,
  'webhook_chains',
);

/**
 * Begins or ends the chain of a webhook, when its `digestEvery` is set. A new chain begins with the next callout, and the
 * first digest is due at the end of the present hour or day (UTC). The transaction must hold the webhook's row.
 */
export async function setDigestPeriod(transaction: Transaction, webhookKey: number, period: string): Promise<void> {
  if (period === 'none') await end(transaction, [webhookKey]);
  else await begin(transaction, [webhookKey, period, Buffer.from(chainStart, 'hex')]);
}
