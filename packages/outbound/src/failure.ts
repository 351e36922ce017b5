import { type Failure, type FailureKind, makeFailure } from '@callout/domain/outcome/failures';
import { UnjudgedAddress, type ConnectionPhase } from './agent.ts';
import { UnacceptableResponse } from './received-bytes.ts';
import { TunnelFailure } from './tunnel.ts';

const connectFailures: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'connectionRefused',
  EHOSTUNREACH: 'hostUnreachable',
  ENETUNREACH: 'hostUnreachable',
  ETIMEDOUT: 'connectTimeout',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'connectTimeout',
  ECONNRESET: 'connectionReset',
};

/** By the codes of Node, of X.509 verification, and of OpenSSL, which names the alerts that the receiver sent. */
const tlsFailures: Readonly<Record<string, FailureKind>> = {
  CERT_HAS_EXPIRED: 'certificateExpired',
  CERT_NOT_YET_VALID: 'certificateNotYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificateOfAnotherHost',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificateSelfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificateSelfSigned',
  UNABLE_TO_GET_ISSUER_CERT: 'certificateChainIncomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificateChainIncomplete',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificateChainIncomplete',
  ERR_SSL_WRONG_VERSION_NUMBER: 'notTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'notTls',
  ERR_SSL_HTTP_REQUEST: 'notTls',
  EPROTO: 'notTls',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tlsTooOld',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tlsTooOld',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'tlsTooOld',
  ERR_SSL_DH_KEY_TOO_SMALL: 'tlsTooOld',
  ECONNRESET: 'tlsClosed',
  EPIPE: 'tlsClosed',
};

/** Errors of certificate verification, in the spelling of node:tls, which are not listed above. */
const certificateCode = /CERT|CRL|CA_|PATH_LENGTH|PURPOSE|CHAIN/u;
/** An alert of the receiver, in OpenSSL's spelling. */
const alertCode = /^ERR_SSL_(?:TLSV1|SSLV3|TLSV13)_(?:ALERT_|UNRECOGNIZED_NAME)/u;

/** In TLS 1.3 a receiver judges the certificate of its client when the handshake is over for the client. */
const clientCertificateCode =
  /^ERR_SSL_(?:TLSV1|SSLV3|TLSV13)_ALERT_(?:CERTIFICATE_(?:REQUIRED|UNKNOWN|EXPIRED|REVOKED)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|NO_CERTIFICATE)$/u;

const tunnelFailures = { unavailable: 'proxyUnavailable', refused: 'proxyRefused' } as const;

/** By the codes of Node's parser. Those of a header come after a valid status line. */
const answerFailures: Readonly<Record<string, FailureKind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  HPE_INVALID_HEADER_TOKEN: 'malformedHeader',
  HPE_INVALID_CONTENT_LENGTH: 'malformedHeader',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'malformedHeader',
  HPE_INVALID_TRANSFER_ENCODING: 'malformedHeader',
  HPE_LF_EXPECTED: 'malformedHeader',
  HPE_CR_EXPECTED: 'malformedHeader',
};

/**
 * Describes an error of Node or got. `phase` is the progress of the connection: an error before the connection is ready
 * is a failed connection or TLS handshake whatever the code. Of such errors only the code is shown: messages of OpenSSL
 * contain paths of its sources, and quote the certificate of the receiver.
 */
export function describeFailure(error: Error, phase: ConnectionPhase | undefined, host: string): Failure {
  const cause = rootOf(error);
  const code = codeOf(cause);
  if (cause instanceof UnjudgedAddress) return makeFailure('addressUnjudged', host);
  if (cause instanceof UnacceptableResponse) return makeFailure(cause.kind, host);
  if (cause instanceof TunnelFailure) return makeFailure(tunnelFailures[cause.kind], host, cause.message);
  if (clientCertificateCode.test(code)) return makeFailure('clientCertificateRefused', host, code);
  if (phase === 'connecting') return makeFailure(connectFailures[code] ?? 'connectFailed', host, code);
  if (phase === 'handshaking') return makeFailure(tlsFailures[code] ?? otherTlsFailure(code), host, code);
  if (code.startsWith('HPE_')) return makeFailure(answerFailures[code] ?? 'notHttp', host, code);
  return phase === 'ready' ? makeFailure('connectionLost', host) : makeFailure('other', host, bounded(cause.message));
}

/** Cleans a text for a log line and a text column. */
function bounded(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
}

function otherTlsFailure(code: string): FailureKind {
  if (alertCode.test(code)) return 'tlsRefused';
  return !code.startsWith('ERR_SSL_') && certificateCode.test(code) ? 'certificateInvalid' : 'tlsFailed';
}

/** got wraps Node's error, and Node lists the failures of several addresses in one error. */
function rootOf(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootOf(error.errors[0]);
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The code of an error of Node or OpenSSL, or else its name. */
export function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}
