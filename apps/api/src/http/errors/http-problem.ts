import type { ProblemCode } from '@callout/core/errors';

/** The codes of what only HTTP has, beside those of the rules (`problemCodes`). None changes its meaning. */
export const httpProblemCodes = {
  malformed: 'The request is not valid HTTP, its headers are too long, or it took too long to arrive.',
  methodNotAllowed: 'The path does not support this method.',
  unsupportedMediaType: 'The body is not JSON in UTF-8.',
  internal: 'An error in the service.',
} as const;

/** Every word that `details[].code` of a failure can be. */
export type FailureCode = ProblemCode | keyof typeof httpProblemCodes;

export type HttpProblemKind = 'methodNotAllowed' | 'stalled' | 'unsupportedMediaType';

/** A request that is refused for what it is as HTTP, before any rule looks at it. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly kind: HttpProblemKind;
  readonly details: readonly { readonly code: FailureCode; readonly message: string }[];
  /** Of `methodNotAllowed`. */
  readonly allowedMethods: readonly string[];

  private constructor(
    kind: HttpProblemKind,
    code: FailureCode,
    message: string,
    allowedMethods: readonly string[] = [],
  ) {
    super(message);
    this.kind = kind;
    this.details = [{ code, message }];
    this.allowedMethods = allowedMethods;
  }

  /** The path exists, the method does not. `hint`: the end of the sentence, on which path has it. */
  static methodNotAllowed(allowedMethods: readonly string[], hint = ''): HttpProblem {
    const message = `This path takes ${allowedMethods.join(', ')} only${hint}`;
    return new HttpProblem('methodNotAllowed', 'methodNotAllowed', message, allowedMethods);
  }

  /** Too little of the body came in the last seconds. */
  static stalled(): HttpProblem {
    return new HttpProblem('stalled', 'malformed', 'The body took too long to arrive.');
  }

  /** The body is not JSON. */
  static unsupportedMediaType(message: string): HttpProblem {
    return new HttpProblem('unsupportedMediaType', 'unsupportedMediaType', message);
  }
}
