import type { ProblemCode } from '@callout/domain/problem-code';

/** The codes of HTTP problems, besides the codes of the rules (`problemCodes`). No code changes its meaning. */
export const httpProblemCodes = {
  malformed: 'The request is not valid HTTP, its headers are too long, or it took too long to arrive.',
  methodNotAllowed: 'The path does not support this method.',
  unsupportedMediaType: 'The body is not JSON in UTF-8.',
  preconditionFailed: 'If-Match or If-None-Match does not hold: another version is stored, or it has none.',
  internal: 'An error in the service.',
} as const;

/** Every possible `details[].code` of a failure. */
export type FailureCode = ProblemCode | keyof typeof httpProblemCodes;

export type HttpProblemKind =
  'methodNotAllowed' | 'preconditionFailed' | 'stalled' | 'unsupportedMediaType' | 'unknownZone';

/** A request that is refused for the form as HTTP, before any rule applies. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly kind: HttpProblemKind;
  readonly details: readonly { readonly code: FailureCode; readonly message: string }[];
  /** Of `methodNotAllowed`. */
  readonly allowedMethods: readonly string[];
  /** The content codings that are read, where a body had an unknown coding. */
  readonly acceptEncoding: string | undefined;
  /** The tag of the present version, where a precondition names another version. */
  readonly etag: string | undefined;

  private constructor(
    kind: HttpProblemKind,
    code: FailureCode,
    message: string,
    {
      allowedMethods = [],
      acceptEncoding,
      etag,
    }: { allowedMethods?: readonly string[]; acceptEncoding?: string | undefined; etag?: string | undefined } = {},
  ) {
    super(message);
    this.kind = kind;
    this.details = [{ code, message }];
    this.allowedMethods = allowedMethods;
    this.acceptEncoding = acceptEncoding;
    this.etag = etag;
  }

  /** The path exists, the method does not. `hint`: the end of the sentence, on which path has it. */
  static methodNotAllowed(allowedMethods: readonly string[], hint = ''): HttpProblem {
    const message = `This path takes ${allowedMethods.join(', ')} only${hint}`;
    return new HttpProblem('methodNotAllowed', 'methodNotAllowed', message, { allowedMethods });
  }

  /** A precondition does not hold. @param etag the tag of the present version; undefined: there are no versions. */
  static preconditionFailed(message: string, etag?: string): HttpProblem {
    return new HttpProblem('preconditionFailed', 'preconditionFailed', message, { etag });
  }

  /** The API family responds with 500 to unknown user names; clients read the status and the sentence. */
  static unknownZone(): HttpProblem {
    return new HttpProblem('unknownZone', 'notFound', 'Zone information could not be determined');
  }

  /** Too little of the body arrived in the last seconds. */
  static stalled(): HttpProblem {
    return new HttpProblem('stalled', 'malformed', 'The body took too long to arrive.');
  }

  /** The body is not JSON, or has an unknown coding. */
  static unsupportedMediaType(message: string, acceptEncoding?: string): HttpProblem {
    return new HttpProblem('unsupportedMediaType', 'unsupportedMediaType', message, { acceptEncoding });
  }
}
