/**
 * What is wrong with a request:
 * - `missing_headers`: one of the headers of the signature is absent, came twice, or is no time. It is not a callout,
 *   or a proxy removed or changed them.
 * - `wrong_signature`: no secret fits. The body was changed on the way (was it parsed and written again?), or the
 *   secret is wrong.
 * - `too_old`, `too_new`: signed correctly, but not now. An old callout is being replayed, or a clock is wrong.
 * - `malformed_body`: signed correctly, but not a callout.
 * - `unexpected_body`: a callout that the option `validate` refuses.
 */
export type VerificationErrorCode =
  'missing_headers' | 'wrong_signature' | 'too_old' | 'too_new' | 'malformed_body' | 'unexpected_body';

/** The request is not a callout that may be trusted. The message has no secret and nothing of the body. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly code: VerificationErrorCode;

  constructor(code: VerificationErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
