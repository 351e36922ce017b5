import { mostProblems, Problem, type ProblemKind } from '@callout/core/errors';
import type { Answer } from '../answer.ts';
import type { FailureCode, HttpProblem, HttpProblemKind } from './http-problem.ts';

/** The body of every failure: each sentence once more under `errors`, for clients that only show text. */
export interface FailureBody {
  readonly errors: readonly string[];
  readonly details: readonly { readonly code: FailureCode; readonly field?: string; readonly message: string }[];
}

type AnyProblem = Problem | HttpProblem;

interface Wire {
  readonly status: number;
  /** Beside `Retry-After`, which any problem may have that says when it is worth trying again. */
  readonly headers?: (problem: AnyProblem) => Readonly<Record<string, string>>;
  /** What every sentence begins with. */
  readonly prefix?: string;
}

/** What each kind of problem is on the wire: the only place that knows. */
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
  // The rest of its body would be taken for the next request.
  stalled: { status: 408, headers: () => ({ Connection: 'close' }) },
  conflict: { status: 409 },
  tooLarge: { status: 413 },
  wrongZone: { status: 421 },
  unsupportedMediaType: { status: 415 },
  tooMany: { status: 429 },
  internal: { status: 500 },
  unavailable: { status: 503 },
};

/** What a problem is answered with: status, headers and the envelope of failures. */
export function problemAnswer(problem: AnyProblem): Answer & { readonly body: FailureBody } {
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
