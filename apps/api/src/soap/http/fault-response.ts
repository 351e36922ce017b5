import type { Response } from 'express';
import { Problem } from '@callout/domain/problem';
import type { ApiResponse } from '../../http/api-response.ts';
import type { FailureResponse } from '../../http/failure.ts';
import { envelope, soap11, type FaultCode, type SoapVersion } from './soap-version.ts';

/** A message that is no call of the API. */
export class SoapFault extends Error {
  override readonly name = 'SoapFault';
  readonly code: FaultCode;

  constructor(code: FaultCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** A response, and the party at fault. */
export interface FaultResponse extends ApiResponse {
  readonly code: FaultCode;
}

/** The response to a failure: a fault with the sentences of the REST API, and the status and headers. */
export function faultResponse(
  failureResponse: FailureResponse,
  version: SoapVersion,
  error: unknown,
  response: Response,
): FaultResponse {
  if (error instanceof SoapFault) return responseOf(version, statusOf(version), error.code, error.message, {});
  const { status, body, headers } = failureResponse(error, response);
  const isUnauthorized = error instanceof Problem && error.kind === 'unauthorized';
  const challenge = isUnauthorized ? { 'WWW-Authenticate': 'Basic realm="Callout", charset="UTF-8"' } : {};
  const code = status >= 500 ? 'service' : 'caller';
  const answered = status === 400 ? statusOf(version) : status;
  return responseOf(version, answered, code, body.errors.join(' '), { ...headers, ...challenge });
}

/**
 * A fault is 500 in SOAP 1.1, also for an error of the caller. Statuses with a meaning for proxies and clients stay.
 */
function statusOf(version: SoapVersion): number {
  return version === soap11 ? 500 : 400;
}

function responseOf(
  version: SoapVersion,
  status: number,
  code: FaultCode,
  sentence: string,
  headers: Readonly<Record<string, string>>,
): FaultResponse {
  const parts = envelope(version, version.fault(code, sentence));
  return {
    status,
    code,
    body: undefined,
    parts,
    headers: { ...headers, 'Content-Type': `${version.mediaType}; charset=utf-8` },
  };
}
