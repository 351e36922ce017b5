import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createUpdates } from '../updates.ts';
import { listenOnLoopback, LOOPBACK } from '../process/local-port.ts';
import { type CaughtMail, parseMail } from './caught-mail.ts';
import { showInbox } from './show-inbox.ts';

export interface MailCatcherOptions {
  /** The port for mail; replaced by a free one when it is in use. */
  smtpPort?: number;
  /** The port of the inbox; replaced by a free one when it is in use. */
  httpPort?: number;
  /** How many mails are kept; the oldest go first. Default 200. */
  keep?: number;
}

export interface MailCatcher {
  /** `smtp://…`, without user or TLS. */
  smtpUrl: string;
  /** The inbox. */
  url: string;
  /** The mails, oldest first. */
  messages: () => readonly CaughtMail[];
  stop: () => Promise<void>;
}

const MOST_MAIL_BYTES = 4 * 1024 * 1024;

/**
 * A mail server on 127.0.0.1 that delivers nothing and shows every mail, for any recipient.
 * `GET /` is an inbox that updates itself, `GET /messages` returns the mails as JSON (`{"items":[…]}`).
 */
export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const keep = options.keep ?? 200;
  const mails: CaughtMail[] = [];
  const updates = createUpdates();
  let count = 0;

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true, // asks no DNS server who 127.0.0.1 is
    size: MOST_MAIL_BYTES,
    closeTimeout: 1000,
    onData: (stream, session, done) => {
      void (async () => {
        try {
          const source = await buffer(stream);
          if (stream.sizeExceeded) throw Object.assign(new Error('Too large'), { responseCode: 552 });
          const recipients = session.envelope.rcptTo.map(({ address }) => address);
          count++;
          mails.push(await parseMail(source, { number: count, receivedAt: new Date(), recipients }));
          if (mails.length > keep) mails.shift();
          updates.notify();
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      })();
    },
  });
  // The error of a client that breaks off comes here; without a listener it would end the process.
  smtp.on('error', () => undefined);

  const http = createServer((request, response) => showInbox(request, response, { mails, updates }));
  const smtpPort = await listenOnLoopback(smtp.server, options.smtpPort);
  const httpPort = await listenOnLoopback(http, options.httpPort);
  return {
    smtpUrl: `smtp://${LOOPBACK}:${smtpPort}`,
    url: `http://${LOOPBACK}:${httpPort}`,
    messages: () => mails,
    stop: async () => {
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
}
