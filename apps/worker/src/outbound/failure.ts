import type { AttemptFailureReason } from '@callout/core';
import { UnacceptableAnswer, UnjudgedAddress, type ConnectionPhase } from './agent.ts';

export interface Failure {
  readonly reason: AttemptFailureReason;
  /** One sentence for the delivery log. */
  readonly message: string;
}

const connectWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'could not be reached: there is no route to it',
  ENETUNREACH: 'could not be reached: there is no route to its network',
  ETIMEDOUT: 'did not accept the connection in time',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'did not accept the connection in time',
  ECONNRESET: 'reset the connection',
};

const answerWords: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'sent headers larger than 16 KiB',
};

/**
 * Puts an error of Node or got into words. `phase` is how far the connection was: what fails before it is ready is a
 * failed connection or TLS handshake whatever the code says.
 */
export function describeFailure(error: Error, phase: ConnectionPhase | undefined, host: string): Failure {
  const cause = rootOf(error);
  const code = codeOf(cause);
  if (cause instanceof UnjudgedAddress) {
    return {
      reason: 'addressForbidden',
      message: `${host} was not called: the connection led to an address that was not judged.`,
    };
  }
  if (cause instanceof UnacceptableAnswer) return { reason: 'invalidResponse', message: `${host} ${cause.message}.` };
  if (phase === 'connecting')
    return { reason: 'connectFailed', message: `${host} ${connectWords[code] ?? `could not be reached (${code})`}.` };
  if (phase === 'handshaking')
    return { reason: 'tlsFailed', message: `The TLS handshake with ${host} failed: ${tlsWords(cause, code)}.` };
  if (code.startsWith('HPE_')) {
    return {
      reason: 'invalidResponse',
      message: `${host} ${answerWords[code] ?? `did not answer in HTTP (${code})`}.`,
    };
  }
  if (phase === 'ready')
    return { reason: 'connectionLost', message: `${host} closed the connection before it had answered.` };
  return { reason: 'other', message: `The request to ${host} failed: ${bounded(cause.message)}.` };
}

function tlsWords(cause: Error, code: string): string {
  return code === 'ECONNRESET' ? 'the receiver closed the connection' : bounded(`${cause.message} (${code})`);
}

/** Messages of OpenSSL quote the receiver's certificate: keep them short, and fit for a log line and a text column. */
function bounded(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
}

/** got wraps what Node reports, and Node lists the failures of several addresses in one error. */
function rootOf(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootOf(error.errors[0]);
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.name;
}
