import { isAllowedMailDomain, mailDomainRefused } from '@callout/core/mail';
import type { Logger } from '@callout/runtime/log';

/** What happens to a mail address that is written. */
export interface MailRecipients {
  /** Throws a Problem 400 for an address to which this installation sends no mail; none is fine. */
  readonly check: (field: string, address: string | null | undefined) => void;
  /** The address now belongs to a webhook: it is asked for its consent, where that is needed. Never throws. */
  readonly named: (tenantId: number, address: string | null | undefined) => Promise<void>;
}

interface MailRecipientDeps {
  /** MAIL_DOMAINS; none: all. */
  readonly domains: readonly string[];
  /** Undefined: addresses need not be confirmed. */
  readonly ask: ((tenantId: number, address: string) => Promise<void>) | undefined;
  readonly log: Logger;
}

/** Judges addresses when they are written; what is to be sent is judged again then, by the worker. */
export function createMailRecipients({ domains, ask, log }: MailRecipientDeps): MailRecipients {
  return {
    check(field, address) {
      if (address && !isAllowedMailDomain(address, domains)) throw mailDomainRefused(field, address);
    },
    async named(tenantId, address) {
      if (!address || ask === undefined) return;
      try {
        await ask(tenantId, address);
      } catch (err) {
        // The webhook is stored. The address is asked when there is something to tell it.
        log.warn({ err, tenantId }, 'an address could not be asked for confirmation; trying again later');
      }
    },
  };
}
