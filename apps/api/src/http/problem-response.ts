import { mostProblems, Problem, type ProblemKind } from '@callout/domain/problem';
import type { ApiResponse } from './api-response.ts';
import type { FailureCode, HttpProblem, HttpProblemKind } from './http-problem.ts';

/** The body of every failure: each sentence once more under `errors`, for clients that only show text. */
export interface FailureBody {
  readonly errors: readonly string[];
  readonly details: readonly { readonly code: FailureCode; readonly field?: string; readonly message: string }[];
}

type AnyProblem = Problem | HttpProblem;

interface Wire {
  readonly status: number;
  /** Headers besides `Retry-After`, which any problem with a time to try again may have. */
  readonly headers?: (problem: AnyProblem) => Readonly<Record<string, string>>;
  /** The beginning of every sentence. */
  readonly prefix?: string;
}

/** The form of each kind of problem on the wire; defined only here. */
const wire: Readonly<Record<ProblemKind | HttpProblemKind, Wire>> = {
  invalid: { status: 400 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  // Existing clients look for the number in the sentence.
  notFound: { status: 404, prefix: '404: ' },
  methodNotAllowed: {
    status: 405,
    headers: (problem) => ('allowedMethods' in problem ? { Allow: problem.allowedMethods.join(', ') } : {}),
  },
  // The rest of its body would be read as the next request.
  stalled: { status: 408, headers: () => ({ Connection: 'close' }) },
  conflict: { status: 409 },
  preconditionFailed: {
    status: 412,
    headers: (problem) => ('etag' in problem && problem.etag !== undefined ? { ETag: problem.etag } : {}),
  },
  tooLarge: { status: 413 },
  wrongZone: { status: 421 },
  unsupportedMediaType: {
    status: 415,
    headers: (problem) =>
      'acceptEncoding' in problem && problem.acceptEncoding !== undefined
        ? { 'Accept-Encoding': problem.acceptEncoding }
        : {},
  },
  tooMany: { status: 429 },
  internal: { status: 500 },
  unknownZone: { status: 500 },
  unavailable: { status: 503 },
};

/** The response to a problem: status, headers and the envelope of failures. */
export function problemResponse(problem: AnyProblem): ApiResponse & { readonly body: FailureBody } {
  const { status, headers, prefix = '' } = wire[problem.kind];
  const details = problem.details.slice(0, mostProblems).map((detail) => withPrefix(detail, prefix));
  return {
    status,
    body: { errors: details.map(({ message }) => message), details },
    headers: { ...retryAfter(problem), ...headers?.(problem) },
  };
}

function withPrefix<T extends { readonly message: string }>(detail: T, prefix: string): T {
  return prefix === '' ? detail : { ...detail, message: prefix + detail.message };
}

function retryAfter(problem: AnyProblem): Readonly<Record<string, string>> {
  if (!(problem instanceof Problem) || problem.retryAfterS === undefined) return {};
  return { 'Retry-After': String(problem.retryAfterS) };
}
