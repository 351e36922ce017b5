import type { WorkerConfig } from '@callout/runtime/config/worker';
import type { SMTPTransportOptions } from 'nodemailer';

type SmtpServer = NonNullable<WorkerConfig['SMTP_URL']>;

/** Options of the connection to the mail server. `timeoutMs` bounds each step of it. */
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
    // A server that offers no login would accept the mail without one, and then permanently refuse its recipients.
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
 * Without a password `auto` uses STARTTLS where it is offered, whatever the certificate: an attacker who could forge it
 * could also hide the offer (RFC 7435).
 */
function tlsOptions(tls: WorkerConfig['SMTP_TLS']): SMTPTransportOptions {
  if (tls === 'off') return { ignoreTLS: true };
  if (tls === 'auto') return { opportunisticTLS: true, tls: { rejectUnauthorized: false } };
  return { requireTLS: true, tls: { rejectUnauthorized: tls === 'required', minVersion: 'TLSv1.2' } };
}
