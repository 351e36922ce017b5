import { isAllowedMailDomain, mailDomainRefused } from '@callout/domain/mail/mail-address';
import type { Logger } from '@callout/runtime/log/logger';

/** Checks mail addresses when they are stored. */
export interface MailRecipients {
  /** Throws a Problem 400 for an address to which this installation sends no mail; none is fine. */
  readonly check: (field: string, address: string | null | undefined) => void;
  /** The address now belongs to a webhook: it is asked for its consent, if that is needed. Never throws. */
  readonly named: (tenantId: number, address: string | null | undefined) => Promise<void>;
}

interface MailRecipientDeps {
  /** MAIL_DOMAINS; none: all. */
  readonly domains: readonly string[];
  /** Undefined: addresses need not be confirmed. */
  readonly ask: ((tenantId: number, address: string) => Promise<void>) | undefined;
  readonly log: Logger;
}

/** Checks addresses when they are stored; the worker checks them again before it sends. */
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
        // The webhook is stored. The address is asked with its first notification.
        log.warn({ err, tenantId }, 'an address could not be asked for confirmation; trying again later');
      }
    },
  };
}
