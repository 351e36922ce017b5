import type { Response } from 'express';
import { Problem } from '@callout/core/errors';
import type { Answer } from '../../http/answer.ts';
import type { FailureAnswer } from '../../http/errors/failure.ts';
import { SoapFault } from './soap-fault.ts';
import { envelope, soap11, type FaultCode, type SoapVersion } from './soap-version.ts';

/** An answer, and whose fault it is. */
export interface FaultAnswer extends Answer {
  readonly code: FaultCode;
}

/** What a failure is answered with: a fault with the sentences of the REST API, and its status and headers. */
export function faultAnswer(
  failureAnswer: FailureAnswer,
  version: SoapVersion,
  error: unknown,
  response: Response,
): FaultAnswer {
  if (error instanceof SoapFault) return answerOf(version, statusOf(version), error.code, error.message, {});
  const { status, body, headers } = failureAnswer(error, response);
  const isUnauthorized = error instanceof Problem && error.kind === 'unauthorized';
  const challenge = isUnauthorized ? { 'WWW-Authenticate': 'Basic realm="Callout", charset="UTF-8"' } : {};
  const code = status >= 500 ? 'service' : 'caller';
  const answered = status === 400 ? statusOf(version) : status;
  return answerOf(version, answered, code, body.errors.join(' '), { ...headers, ...challenge });
}

/** A fault is 500 in SOAP 1.1, also that of the caller. Statuses that proxies and clients act on stay what they are. */
function statusOf(version: SoapVersion): number {
  return version === soap11 ? 500 : 400;
}

function answerOf(
  version: SoapVersion,
  status: number,
  code: FaultCode,
  sentence: string,
  headers: Readonly<Record<string, string>>,
): FaultAnswer {
  const parts = envelope(version, version.fault(code, sentence));
  return {
    status,
    code,
    body: undefined,
    parts,
    headers: { ...headers, 'Content-Type': `${version.mediaType}; charset=utf-8` },
  };
}
