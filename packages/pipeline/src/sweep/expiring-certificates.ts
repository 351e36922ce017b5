import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications } from '../notify/store/notifications.ts';

/** Webhooks per transaction: the next round handles the others. */
const mostWebhooks = 100;

interface ExpiringCertificate {
  webhookKey: number;
  tenantId: number;
  expiresAt: Date;
  days: number;
}

// Another worker that looks at the same moment skips these rows, and rows that match has locked wait for the next round.
const tell = statement<ExpiringCertificate>(
  'certificates_tell',
  `WITH expiring AS MATERIALIZED (
     SELECT key, CASE WHEN certificate_expires_at <= now() + interval '7 days' THEN 7 ELSE 30 END AS days
     FROM webhooks
     WHERE certificate_expires_at <= now() + interval '30 days' AND is_active AND deleted_at IS NULL
       AND (certificate_told_days IS NULL
         OR (certificate_told_days > 7 AND certificate_expires_at <= now() + interval '7 days'))
     ORDER BY key LIMIT ${mostWebhooks} FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE webhooks w SET certificate_told_days = e.days FROM expiring e WHERE w.key = e.key
   RETURNING w.key AS "webhookKey", w.tenant_id AS "tenantId", w.certificate_expires_at AS "expiresAt", e.days`,
  'webhooks',
);

/**
 * Stores notifications about client certificates that expire: one 30 days before, and one 7 days before, or one if it is
 * noticed later.
 * @returns how many webhooks they are about.
 */
export async function notifyOfExpiringCertificates(pool: Pool): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const expiring = await tell(transaction, []);
    await storeNotifications(
      transaction,
      expiring.map(({ webhookKey, tenantId, expiresAt, days }) => ({
        webhookKey,
        tenantId,
        kind: 'certificateExpiring',
        occasion: `${expiresAt.toISOString()}/${days}`,
        content: { expiresAt, isLast: days === 7 },
      })),
    );
    await storeOccurrences(
      transaction,
      expiring.map(({ webhookKey, expiresAt }) => ({
        webhookKey,
        occurrence: 'certificateExpiring',
        subject: 'certificate',
        facts: { certificateExpiresAt: expiresAt },
      })),
    );
    return expiring.length;
  });
}
