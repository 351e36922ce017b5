import { confirmationKeyPurpose } from '@callout/core/mail';
import { confirmAddress, findConfirmation, requestConfirmation } from '@callout/db/mail';
import type { AddressLimit } from '../http/limits/address-limit.ts';
import type { ConfirmMailDeps } from '../mail/confirm-mail.ts';
import { createMailRecipients, type MailRecipients } from '../mail/mail-recipients.ts';
import type { ApiContext } from './context.ts';

/** Who may be sent mail, and the page on which strangers agree to it. */
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
