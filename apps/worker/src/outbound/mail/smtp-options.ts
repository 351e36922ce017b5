import type { WorkerConfig } from '@callout/runtime/config';
import type { SMTPTransportOptions } from 'nodemailer';

type SmtpServer = NonNullable<WorkerConfig['SMTP_URL']>;

/** How the mail server is connected to. `timeoutMs` bounds each step of it. */
export function smtpOptions(
  server: SmtpServer,
  tls: WorkerConfig['SMTP_TLS'],
  timeoutMs: number,
): SMTPTransportOptions {
  const { host, port, isTls, credentials } = server;
  return {
    host,
    port,
    secure: isTls,
    ...tlsOptions(tls === 'auto' && (credentials !== undefined || isTls) ? 'required' : tls),
    // A server that offers no login would take the mail without one, and then refuse its recipients for good.
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    // In a container that has only loopback and in tests, it is a network like any other.
    allowInternalNetworkInterfaces: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 1_000,
    maxResponseSize: 65_536,
    // Nothing that is written in a mail is a path or an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Without a password `auto` takes STARTTLS where it is offered, whatever the certificate: who could forge it could as well
 * hide the offer (RFC 7435).
 */
function tlsOptions(tls: WorkerConfig['SMTP_TLS']): SMTPTransportOptions {
  if (tls === 'off') return { ignoreTLS: true };
  if (tls === 'auto') return { opportunisticTLS: true, tls: { rejectUnauthorized: false } };
  return { requireTLS: true, tls: { rejectUnauthorized: tls === 'required', minVersion: 'TLSv1.2' } };
}
