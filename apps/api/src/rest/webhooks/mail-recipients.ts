import { isAllowedMailDomain, mailDomainRefused } from '@callout/domain/mail/mail-address';
import { confirmationKeyPurpose } from '@callout/pipeline/notify/write/confirmation-token.rules';
import { requestConfirmation } from '@callout/pipeline/notify/store/confirmations';
import type { ApiContext } from '../../api-context.ts';

/**
 * Throws a Problem 400 for an address to which this installation sends no mail; none is fine. The worker checks again
 * before it sends.
 */
export function checkRecipient({ config }: ApiContext, field: string, address: string | null | undefined): void {
  if (address && !isAllowedMailDomain(address, config.MAIL_DOMAINS)) throw mailDomainRefused(field, address);
}

/** The address now belongs to a webhook: it is asked for its consent, if that is needed. Never throws. */
export async function askForConsent(
  { config, database, keyRing, log }: ApiContext,
  tenantId: number,
  recipient: string | null | undefined,
): Promise<void> {
  const [key] = keyRing.deriveKeys(confirmationKeyPurpose);
  if (!recipient || !config.MAIL_CONFIRM || key === undefined) return;
  try {
    await requestConfirmation(database.pool, { tenantId, recipient, key });
  } catch (err) {
    // The webhook is stored. The address is asked with its first notification.
    log.warn({ err, tenantId }, 'an address could not be asked for confirmation; trying again later');
  }
}
