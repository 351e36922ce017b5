/** A mail, ready to be sent to any recipient. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The result of handing a mail to the mail server. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server permanently refuses mail for this recipient. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Anything else: the server is away, busy, or does not accept our mail as it is configured. */
  | { readonly kind: 'notSent'; readonly reason: string };
