import { isIP } from 'node:net';
import { z } from 'zod';
import { duration } from '../kinds/duration.ts';
import { key, listOf, UnreadableValue } from '../kinds/key.ts';
import { wholeNumber } from '../kinds/kinds.ts';
import { readPageUrl } from '../kinds/addresses.ts';

/** The mail server of the installation. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`), and not by STARTTLS. */
  readonly isTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** `tls` of the URL. */
  readonly tls: SmtpTls;
}

const smtpTls = ['auto', 'required', 'unverified', 'off'] as const;
export type SmtpTls = (typeof smtpTls)[number];

/** A sender, or an address for replies. */
export interface Mailbox {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

const NAME = /^[^\p{Cc}"<>]{0,100}$/u;
/** One plain address: no list, no comment, no quoted part. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/i;

/** The delivery of mail, and the targets of its links. */
export const mailConfig = z.object({
  SMTP_URL: key<SmtpServer | undefined>({
    description:
      'The mail server. `smtps:` is TLS from the start (port 465), `smtp:` plain or with STARTTLS (port 587), by `?tls=required`, `unverified` or `off`, see [mail.md](mail.md#settings). User and password are percent-encoded. Without a mail server, mail waits and fails after 7 days.',
    accepts: 'an smtp:// or smtps:// URL such as smtp://user:password@mail.example.com:587',
    whenAbsent: undefined,
    isSecret: true,
    read: smtpServer,
  }),
  MAIL_FROM: mailbox('Sender of all mail. Required with SMTP_URL.'),
  MAIL_GATHER: duration({
    description:
      'How long a notification waits for others of its kind, to be sent in one mail. Mail that a webhook is failing does not wait.',
    default: '2m',
    mostDays: 1,
  }),
  MAIL_LIMIT_PER_RECIPIENT: wholeNumber({
    description:
      'Mails of one kind about one tenant to one recipient, in an hour; 0 = no limit. Half as many are about one webhook, and ten times as many about one tenant. Notifications above a limit are part of a later mail.',
    default: 12,
    min: 0,
    max: 1_000_000,
  }),
  OPERATOR_MAIL: key<readonly string[]>({
    description:
      'Addresses that get mail when something is wrong with the installation itself, see [mail.md](mail.md#mail-to-operators). Not set: no such mail.',
    accepts: 'a comma-separated list of addresses such as ops@example.com',
    whenAbsent: [],
    read: listOf(ADDRESS, 'plain address'),
  }),
  ALERT_AFTER: duration({
    description:
      'The mail about a failing webhook leaves within this time of its first failure, or of when its oldest callout that nobody fetches was due; so does mail to operators about events or callouts that wait. `0` notifies at once.',
    default: '5m',
    mostDays: 7,
  }),
  CONSOLE_URL: key<string | undefined>({
    description:
      'Address of a console of your own, for links in mail: `CONSOLE_URL/CompanyWebhooks/12`. Without it, mail links to the console of Callout.',
    accepts: 'an http: or https: URL without user, query or fragment, such as https://portal.example.com/hooks',
    whenAbsent: undefined,
    read: readPageUrl,
  }),
});

function smtpServer(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isTls = url?.protocol === 'smtps:';
  if (url === undefined || !(isTls || url.protocol === 'smtp:')) throw new UnreadableValue();
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) throw new UnreadableValue();
  const options = [...url.searchParams].map(([name]) => name);
  const tls = smtpTls.find((one) => one === (url.searchParams.get('tls') ?? 'auto'));
  if (!['', '/'].includes(url.pathname) || text.includes('#')) throw new UnreadableValue();
  if (tls === undefined || options.some((name) => name !== 'tls'))
    throw new UnreadableValue(`its only option is tls: ${smtpTls.join(', ')}`);
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port);
  const [user, password] = [unescaped(url.username), unescaped(url.password)];
  if (user === '' && password !== '') throw new UnreadableValue();
  return { host, port, isTls, tls, credentials: user === '' ? undefined : { user, password } };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UnreadableValue();
  }
}

/** `address` or `Name <address>`. */
function mailbox(description: string) {
  return key<Mailbox | undefined>({
    description,
    accepts: 'an address, or a name and an address such as `Callout <callout@example.com>`',
    whenAbsent: undefined,
    read: (text) => {
      const [, before = '', address = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(text) ?? [text, '', text];
      const name = before.replace(/^"([^"\\]*)"$/, '$1');
      if (!NAME.test(name) || !ADDRESS.test(address)) throw new UnreadableValue();
      return { name, address };
    },
  });
}
