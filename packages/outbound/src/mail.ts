import { oneLine } from '@callout/domain/mail/clean-text';
import { isMailAddress } from '@callout/domain/mail/mail-address';
import type { MailOutcome, WrittenMail } from '@callout/domain/mail/mail-message';
import type { WorkerConfig } from '@callout/runtime/config/worker';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { judgeSmtpError } from './mail-failure.ts';

type Mailbox = NonNullable<WorkerConfig['MAIL_FROM']>;

export interface MailerDeps {
  readonly server: NonNullable<WorkerConfig['SMTP_URL']>;
  /** From connecting until the server has accepted the mail. */
  readonly timeoutMs: number;
  readonly from: Mailbox;
}

/** A mail to one recipient. */
export interface OutgoingMail extends WrittenMail {
  /** Becomes the Message-ID: a repeated mail has the same. */
  readonly id: string;
  readonly recipient: string;
}

export interface Mailer {
  /** Hands a mail to the mail server. Failures of servers and recipients are outcomes, not errors. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /** Aborts all mails under way: they end as not sent, like all later mails. */
  close(): void;
}

/**
 * The only way out for mail. Each mail has a connection of its own: mails are few, and a hanging mail delays no other.
 */
export function createMailer({ server, timeoutMs, from }: MailerDeps): Mailer {
  const transport = createTransport(smtpOptions(server, timeoutMs));
  const limits = createTimeLimits(timeoutMs);
  const hostOfSender = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ id, recipient, subject, text, html }) {
      // Addresses were judged when they were stored. An address that a mail library might read as two addresses, or as
      // a header, does not reach the library.
      if (!isMailAddress(recipient)) return { kind: 'refused', reason: 'it is not a plain mail address' };
      const limit = limits.begin();
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: recipient },
          envelope: { from: from.address, to: [recipient] },
          messageId: `<${id}@${hostOfSender}>`,
          subject: subjectHeader(subject),
          text,
          html,
          // No out-of-office replies to a machine (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          signal: limit.signal,
        });
        return { kind: 'sent' };
      } catch (error) {
        if (limits.isStopping()) return { kind: 'notSent', reason: 'this process stopped before it was sent' };
        if (limit.isOver()) return { kind: 'notSent', reason: `it took longer than ${timeoutMs} ms` };
        return judgeSmtpError(error, { recipient, credentials: server.credentials });
      } finally {
        limit.end();
      }
    },
    close: () => limits.stop(),
  };
}

const longestSubject = 200;
/** Number of characters of a line for each piece of an encoded subject. */
const pieceLength = 52;

/** The library encodes where necessary, but leaves text alone that looks encoded already. */
function subjectHeader(subject: string): string {
  const line = oneLine(subject, longestSubject);
  return line.includes('=?') ? encodeWord(line, 'B', pieceLength) : line;
}

type SmtpServer = NonNullable<WorkerConfig['SMTP_URL']>;

/** Options of the connection to the mail server. `timeoutMs` bounds each step of it. */
function smtpOptions(server: SmtpServer, timeoutMs: number): SMTPTransportOptions {
  const { host, port, isTls, tls, credentials } = server;
  return {
    host,
    port,
    secure: isTls,
    ...tlsOptions(tls === 'auto' && (credentials !== undefined || isTls) ? 'required' : tls),
    // A server without a login would accept the mail, and then permanently refuse the recipients.
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    // In a container with only loopback and in tests, loopback is a network like any other.
    allowInternalNetworkInterfaces: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 1_000,
    maxResponseSize: 65_536,
    // Nothing in a mail is a path or an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Without a password `auto` uses STARTTLS where offered, whatever the certificate: an attacker who could forge the
 * certificate could also hide the offer (RFC 7435).
 */
function tlsOptions(tls: SmtpServer['tls']): SMTPTransportOptions {
  if (tls === 'off') return { ignoreTLS: true };
  if (tls === 'auto') return { opportunisticTLS: true, tls: { rejectUnauthorized: false } };
  return { requireTLS: true, tls: { rejectUnauthorized: tls === 'required', minVersion: 'TLSv1.2' } };
}

/** Ends the work of one call. */
interface TimeLimit {
  /** Aborted when the time is over, or when all work is to stop. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Ends the limit when the work is done; to be called once. */
  readonly end: () => void;
}

interface TimeLimits {
  begin(): TimeLimit;
  /** Aborts the present work and all later work. */
  stop(): void;
  isStopping(): boolean;
}

/**
 * A time limit for each call, and one end for all. `AbortSignal.any` would do the same, but a signal with the life of
 * the process keeps memory for every signal that was ever derived.
 */
export function createTimeLimits(timeoutMs: number): TimeLimits {
  const underWay = new Set<AbortController>();
  let isStopping = false;
  return {
    begin() {
      const controller = new AbortController();
      if (isStopping) controller.abort();
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        controller.abort();
      }, timeoutMs).unref();
      underWay.add(controller);
      return {
        signal: controller.signal,
        isOver: () => isOver,
        end() {
          clearTimeout(timer);
          underWay.delete(controller);
        },
      };
    },
    stop() {
      isStopping = true;
      for (const controller of underWay) controller.abort();
    },
    isStopping: () => isStopping,
  };
}
