import { confirmationKeyPurpose } from '@callout/pipeline/notify/write/confirmation-token.rules';
import { confirmAddress, findConfirmation, requestConfirmation } from '@callout/pipeline/notify/store/confirmations';
import type { AddressLimit } from '../http/limits/rate.ts';
import type { ConfirmMailDeps } from '../rest/mail/confirm-mail.ts';
import { createMailRecipients, type MailRecipients } from '../rest/mail/mail-recipients.ts';
import type { ApiContext } from './context.ts';

/** The allowed recipients of mail, and the page on which they consent to it. */
export function wireMail(
  { config, database, log, keyRing }: ApiContext,
  addressLimit: AddressLimit,
): { recipients: MailRecipients; confirmation: ConfirmMailDeps } {
  const { pool } = database;
  const [key] = keyRing.deriveKeys(confirmationKeyPurpose);
  if (key === undefined) throw new Error('the key ring is empty');
  const ask = (tenantId: number, recipient: string) => requestConfirmation(pool, { tenantId, recipient, key });
  return {
    recipients: createMailRecipients({
      domains: config.MAIL_DOMAINS,
      ask: config.MAIL_CONFIRM ? ask : undefined,
      log,
    }),
    confirmation: {
      findConfirmation: (token) => findConfirmation(pool, token),
      confirmAddress: (token) => confirmAddress(pool, token),
      addressLimit,
    },
  };
}
