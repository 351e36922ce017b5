import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications } from '../notify/store/notifications.ts';

/** Webhooks per transaction: the next round handles the rest. */
const mostWebhooks = 100;

interface ExpiringCertificate {
  webhookKey: number;
  tenantId: number;
  expiresAt: Date;
  days: number;
}

const tell = statementFrom<ExpiringCertificate>('sweep/certificates_tell');

/**
 * Stores notifications about client certificates that expire: 30 days before, and again 7 days before.
 * @returns how many webhooks the notifications are about.
 */
export async function notifyOfExpiringCertificates(pool: Pool): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const expiring = await tell(transaction, [mostWebhooks]);
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
