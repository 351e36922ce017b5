import type { AttemptFailureReason } from './outcome.ts';

interface FailureText {
  readonly reason: AttemptFailureReason;
  /** What happened: `{host}` and `{detail}` are replaced by the arguments of `makeFailure`. */
  readonly says: string;
  /** What the reader can do. */
  readonly remedy: string;
}

const checkNameServers = 'Check the name servers of the domain; the operator can check those of this service.';
const checkRoute =
  'Check the address that the name has in DNS, and the network and firewalls in front of the receiver.';
const checkLog = 'See the log of the receiver, and of any proxy in front of it.';
const installChain =
  'Install the whole chain of certificates on the receiver, from an authority that the public trusts.';
const answerInTime = 'Answer with a 2xx first and do the work afterwards.';
const checkHttp = 'Check that an HTTP server listens on this port of the URL.';

/** Every way in which an attempt ends without a response, as a sentence and with its remedy; docs/failures.md lists them. */
export const failures = {
  nameUnknown: {
    reason: 'dnsFailed',
    says: '{host} does not exist in DNS',
    remedy: 'Check the host in the URL, and its records in DNS.',
  },
  nameWithoutAddress: {
    reason: 'dnsFailed',
    says: '{host} has no address in DNS',
    remedy: 'Give the name an A or AAAA record.',
  },
  nameServersSilent: {
    reason: 'dnsFailed',
    says: '{host} could not be resolved: the name servers did not answer in time',
    remedy: checkNameServers,
  },
  nameServersFailed: {
    reason: 'dnsFailed',
    says: '{host} could not be resolved: the name servers failed',
    remedy: checkNameServers,
  },
  nameServersRefused: {
    reason: 'dnsFailed',
    says: '{host} could not be resolved: the name servers refused to answer',
    remedy: checkNameServers,
  },
  nameUnresolved: {
    reason: 'dnsFailed',
    says: '{host} could not be resolved ({detail})',
    remedy: checkNameServers,
  },
  nameTimeout: {
    reason: 'timeout',
    says: '{host} could not be resolved within {detail}',
    remedy: checkNameServers,
  },
  addressForbidden: {
    reason: 'addressForbidden',
    says: '{host} resolves to an address that callouts may not reach, such as a private one',
    remedy: 'Use a public address, or ask the operator to add its range to CALLOUT_ALLOW_CIDRS.',
  },
  addressUnjudged: {
    reason: 'addressForbidden',
    says: '{host} was not called: the connection led to an address that was not checked',
    remedy: 'Tell the operator: this should not happen.',
  },
  targetInvalid: {
    reason: 'invalidTarget',
    says: 'The URL {detail}',
    remedy: 'Give the webhook another URL.',
  },
  connectionRefused: {
    reason: 'connectFailed',
    says: '{host} refused the connection',
    remedy: 'Check that the receiver is running and listens on this port, and that no firewall rejects it.',
  },
  hostUnreachable: {
    reason: 'connectFailed',
    says: '{host} could not be reached: there is no route to it',
    remedy: checkRoute,
  },
  connectTimeout: {
    reason: 'connectFailed',
    says: '{host} did not accept the connection in time',
    remedy: 'Check that the receiver is running and that no firewall drops what comes to this port.',
  },
  connectTimeLimit: {
    reason: 'timeout',
    says: '{host} did not accept the connection within {detail}',
    remedy: 'Check that the receiver is running and that no firewall drops what comes to this port.',
  },
  connectionReset: {
    reason: 'connectFailed',
    says: '{host} reset the connection',
    remedy: 'Check that the receiver is running, and the firewalls and proxies in front of it.',
  },
  connectFailed: {
    reason: 'connectFailed',
    says: '{host} could not be reached ({detail})',
    remedy: checkRoute,
  },
  proxyRefused: {
    reason: 'connectFailed',
    says: 'The proxy for outgoing calls did not connect to {host}: {detail}',
    remedy: 'Check that the receiver is running; the operator can check what the proxy allows.',
  },
  proxyUnavailable: {
    reason: 'proxyUnavailable',
    says: 'The proxy for outgoing calls could not be used: {detail}',
    remedy: 'It is sent again automatically; the operator can check OUTBOUND_PROXY.',
  },
  certificateExpired: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} has expired',
    remedy: 'Renew it on the receiver.',
  },
  certificateNotYetValid: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} is not valid yet',
    remedy: 'Check the dates of the certificate, and the clock of the machine that made it.',
  },
  certificateOfAnotherHost: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} is for other names',
    remedy: 'Install a certificate for the host in the URL, or use a host that the certificate names.',
  },
  certificateSelfSigned: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} is self-signed, or signed by an authority that is not trusted',
    remedy: installChain,
  },
  certificateChainIncomplete: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} cannot be traced to an authority that is trusted',
    remedy: installChain,
  },
  certificateInvalid: {
    reason: 'tlsFailed',
    says: 'The certificate of {host} is not accepted ({detail})',
    remedy: installChain,
  },
  certificatesTooLarge: {
    reason: 'tlsFailed',
    says: '{host} sent over 8 certificates or 20 KiB, which take long to check, so it is not called for {detail}',
    remedy: 'Make it send its own certificate and those of the authorities above it, and nothing else.',
  },
  notTls: {
    reason: 'tlsFailed',
    says: '{host} does not speak TLS on this port',
    remedy: 'Check the port in the URL, and that the receiver serves HTTPS there.',
  },
  tlsTooOld: {
    reason: 'tlsFailed',
    says: '{host} offers no version or cipher of TLS that is still safe',
    remedy: 'Enable TLS 1.2 or 1.3 on the receiver.',
  },
  tlsRefused: {
    reason: 'tlsFailed',
    says: '{host} refused the TLS handshake ({detail})',
    remedy:
      'Check that the receiver serves the host in the URL, with a current cipher, and asks for no client certificate.',
  },
  clientCertificateRefused: {
    reason: 'tlsFailed',
    says: '{host} refused the client certificate, or wants one ({detail})',
    remedy: 'Give the webhook a client certificate that the receiver trusts (receiverAuth of the kind mtls).',
  },
  tlsMaterialUnusable: {
    reason: 'tlsFailed',
    says: '{host} was not called: a certificate or private key of the webhook cannot be used ({detail})',
    remedy: 'Give the webhook its caCertificate and receiverAuth again.',
  },
  tlsClosed: {
    reason: 'tlsFailed',
    says: '{host} closed the connection during the TLS handshake',
    remedy: 'Check that the receiver serves HTTPS on this port and for the host in the URL.',
  },
  tlsTimeLimit: {
    reason: 'timeout',
    says: '{host} did not complete the TLS handshake within {detail}',
    remedy: 'Check that the receiver serves HTTPS on this port and is not overloaded.',
  },
  tlsFailed: {
    reason: 'tlsFailed',
    says: 'The TLS handshake with {host} failed ({detail})',
    remedy: 'Check the TLS settings of the receiver.',
  },
  answerTimeLimit: {
    reason: 'timeout',
    says: '{host} did not answer within {detail}',
    remedy: answerInTime,
  },
  connectionLost: {
    reason: 'connectionLost',
    says: '{host} closed the connection before it had answered',
    remedy: checkLog,
  },
  notHttp: {
    reason: 'invalidResponse',
    says: '{host} did not answer in HTTP ({detail})',
    remedy: checkHttp,
  },
  malformedHeader: {
    reason: 'invalidResponse',
    says: '{host} answered in HTTP with malformed headers ({detail})',
    remedy: 'Let each line be a name, a colon with no blank before it, and a value, and end with CR LF.',
  },
  headersTooLarge: {
    reason: 'invalidResponse',
    says: '{host} sent headers larger than 16 KiB',
    remedy: 'Make it answer with fewer or shorter headers and cookies.',
  },
  answerTooLarge: {
    reason: 'invalidResponse',
    says: '{host} sent more than 1 MiB before its answer was complete',
    remedy: checkHttp,
  },
  interimAnswers: {
    reason: 'invalidResponse',
    says: '{host} sent one interim answer (1xx) after another',
    remedy: 'Make it send its final answer.',
  },
  tokenRefused: {
    reason: 'tokenFailed',
    says: 'The token endpoint {host} gave no token: {detail}',
    remedy: 'Check receiverAuth of the webhook: tokenUrl, clientId, clientSecret, scope and audience.',
  },
  tokenEndpointFailed: {
    reason: 'tokenFailed',
    says: 'The token endpoint could not be used: {detail}',
    remedy: 'Check tokenUrl in receiverAuth of the webhook, and the server behind it.',
  },
  tokenTimeLimit: {
    reason: 'tokenFailed',
    says: 'The token endpoint {host} gave no token within {detail}',
    remedy: 'Check that the token endpoint is running and not overloaded.',
  },
  busy: {
    reason: 'busy',
    says: 'All connections to {host} were in use, and none came free within {detail}',
    remedy: 'It is sent again automatically; a receiver that answers sooner keeps fewer of them busy.',
  },
  stopping: {
    reason: 'aborted',
    says: 'The worker stopped before {host} had answered',
    remedy: 'It is sent again automatically.',
  },
  nacked: {
    reason: 'nacked',
    says: 'The program that fetched it refused it: {detail}',
    remedy: 'See the log of that program.',
  },
  leaseLapsed: {
    reason: 'leaseLapsed',
    says: 'It was fetched, but not acknowledged before its lease ended',
    remedy: 'Acknowledge callouts within leaseSeconds, or ask for a longer lease.',
  },
  notFetched: {
    reason: 'notFetched',
    says: 'It was not fetched within {detail}',
    remedy: 'Check that a program fetches the callouts of this webhook.',
  },
  other: {
    reason: 'other',
    says: 'The request to {host} failed: {detail}',
    remedy: 'Tell the operator.',
  },
} as const satisfies Record<string, FailureText>;

export type FailureKind = keyof typeof failures;

/** An attempt without a response, as it is stored. */
export interface Failure {
  readonly reason: AttemptFailureReason;
  /** What happened and what to do about it: two sentences for people. */
  readonly message: string;
}

/**
 * Describes a failure.
 * @param host of the URL, with the port, if any.
 * @param detail inserted into the sentence: a time such as `10 s`, or a code.
 */
export function makeFailure(kind: FailureKind, host: string, detail = ''): Failure {
  const { reason, says, remedy } = failures[kind];
  // Replaced by functions: names and codes must not be read as patterns of a replacement.
  const what = says.replace('{host}', () => host).replace('{detail}', () => detail);
  return { reason, message: `${what}. ${remedy}` };
}
