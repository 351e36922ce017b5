import PostalMime, { type Address } from 'postal-mime';

/** A mail as the catcher shows it. */
export interface CaughtMail {
  /** Counts all that arrived, from 1. */
  number: number;
  receivedAt: Date;
  /** The addresses of the SMTP envelope: the real recipients. */
  recipients: string[];
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  text: string;
  html: string;
  /** The mail as it arrived, read as UTF-8. */
  source: string;
}

/** Reads a mail as it arrived. */
export async function parseMail(
  source: Buffer,
  arrival: Pick<CaughtMail, 'number' | 'receivedAt' | 'recipients'>,
): Promise<CaughtMail> {
  const mail = await PostalMime.parse(source);
  return {
    ...arrival,
    from: mail.from ? mailboxes([mail.from]).join(', ') : '',
    to: mailboxes(mail.to ?? []),
    subject: mail.subject ?? '',
    messageId: mail.messageId ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    source: source.toString('utf8'),
  };
}

function mailboxes(addresses: readonly Address[]): string[] {
  return addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name === '' ? address : `${name} <${address}>`));
}
