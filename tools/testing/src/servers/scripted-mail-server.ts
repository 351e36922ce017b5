import { type CaughtMail, parseMail } from '@callout/local/mail';
import { listenOnLoopback, steadyPort } from '@callout/local/process';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** The response of the server to mail for a recipient. */
export type MailScript =
  | 'take'
  /** Accepts the whole mail and never confirms it. */
  | 'hang'
  /** A reply of its own, to the recipient or to the mail itself. */
  | { to: 'recipient' | 'mail'; code: number; text: string };

export interface ScriptedMailServerOptions {
  /** The only login that is accepted; in the clear unless `certificate` is there. */
  credentials?: { user: string; password: string };
  /** PEM. STARTTLS is offered with it, or TLS spoken from the first byte. */
  certificate?: { key: string; cert: string; isTls?: boolean };
  /** The port to listen on, when it is free: that of a server that was stopped. */
  port?: number;
}

export interface ScriptedMailServer {
  port: number;
  /** Sets the response to mail for a recipient; a function is called for each mail. Mail for others is accepted. */
  script: (recipient: string, script: MailScript | ((nth: number) => MailScript)) => void;
  /** All accepted mails, oldest first; also mails that `hang` does not confirm. */
  mails: () => readonly CaughtMail[];
  /** How often mail for a recipient was offered. */
  offers: (recipient: string) => number;
  /** Every connection, in the order of arrival: whether mail came over TLS, and the user that logged in. */
  sessions: () => readonly { isTls: boolean; user: string | undefined }[];
  /** Closes it, together with every connection that still hangs. */
  stop: () => Promise<void>;
}

/** A mail server on 127.0.0.1 with scripted responses, which keeps the mails. */
export async function startScriptedMailServer(options: ScriptedMailServerOptions = {}): Promise<ScriptedMailServer> {
  const scripts = new Map<string, MailScript | ((nth: number) => MailScript)>();
  const offered = new Map<string, number>();
  const decided = new Map<string, MailScript>();
  const mails: CaughtMail[] = [];
  const sessions: { isTls: boolean; user: string | undefined }[] = [];

  function decide(recipient: string): MailScript {
    const nth = (offered.get(recipient) ?? 0) + 1;
    offered.set(recipient, nth);
    const script = scripts.get(recipient) ?? 'take';
    const decision = typeof script === 'function' ? script(nth) : script;
    decided.set(recipient, decision);
    return decision;
  }

  const smtp = new SMTPServer({
    ...accessOptions(options),
    disableReverseLookup: true, // asks no DNS server who 127.0.0.1 is
    closeTimeout: 0,
    onMailFrom(_address, session, done) {
      sessions.push({ isTls: session.secure, user: session.user ? String(session.user) : undefined });
      done();
    },
    onRcptTo({ address }, _session, done) {
      const script = decide(address);
      done(typeof script === 'object' && script.to === 'recipient' ? replyOf(script) : null);
    },
    onData(stream, session, done) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      const script = recipients.map((recipient) => decided.get(recipient)).find((one) => one !== 'take');
      void (async () => {
        // Undefined when the client broke off before the end of its mail.
        const source = await buffer(stream).catch(() => undefined);
        if (source === undefined) return;
        if (typeof script === 'object') {
          done(replyOf(script));
          return;
        }
        mails.push(await parseMail(source, { number: mails.length + 1, receivedAt: new Date(), recipients }));
        if (script !== 'hang') done();
      })();
    },
  });
  // The error of a client that breaks off comes here; without a listener it would end the process.
  smtp.on('error', () => undefined);
  const port = await listenOnLoopback(smtp.server, options.port ?? (await steadyPort()));
  return {
    port,
    script: (recipient, script) => void scripts.set(recipient, script),
    mails: () => mails,
    offers: (recipient) => offered.get(recipient) ?? 0,
    sessions: () => sessions,
    stop: () => new Promise((resolve) => smtp.close(resolve)),
  };
}

function accessOptions({ credentials, certificate }: ScriptedMailServerOptions): SMTPServerOptions {
  return {
    ...(certificate === undefined
      ? { hideSTARTTLS: true, allowInsecureAuth: true }
      : { key: certificate.key, cert: certificate.cert, secure: certificate.isTls === true }),
    authOptional: credentials === undefined,
    ...(credentials === undefined ? { disabledCommands: ['AUTH'] } : {}),
    onAuth(auth, _session, done) {
      const isKnown = auth.username === credentials?.user && auth.password === credentials?.password;
      // Like servers with a verbose greeting.
      const reply = { to: 'mail', code: 535, text: `no entry for ${auth.username} with ${auth.password}` } as const;
      if (isKnown) done(null, { user: auth.username });
      else done(replyOf(reply));
    },
  };
}

function replyOf({ code, text }: { code: number; text: string }): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
