import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { Problem } from '@callout/core/errors';
import type { Logger } from '@callout/runtime/log';
import { send, type Answer } from '../answer.ts';
import { requestIdOf } from '../server/request-log.ts';
import { HttpProblem } from './http-problem.ts';
import { problemAnswer, type FailureBody } from './problem-answer.ts';

interface FailureDeps {
  readonly log: Logger;
  /** Whether an error means that the database cannot be reached now. */
  readonly isDatabaseAway: (error: unknown) => boolean;
}

const RETRY_AFTER_S = 5;
const MAX_SHOWN_PATH = 200;

/**
 * The last route: no path matched. The words differ from those for a record that is not there.
 * @param findNearest a path that is there and like one that is not.
 */
export function unknownPath(findNearest: (path: string) => string | undefined = () => undefined): RequestHandler {
  return (request) => refusePath(request.path, findNearest(request.path));
}

function refusePath(given: string, nearest: string | undefined): never {
  const path = given.length > MAX_SHOWN_PATH ? `${given.slice(0, MAX_SHOWN_PATH)}…` : given;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw Problem.notFound(`There is no path ${path}; GET /openapi.json lists every path.${hint}`);
}

/** What a failure is answered with, whatever was thrown. */
export type FailureAnswer = (error: unknown, response: Response) => Answer & { readonly body: FailureBody };

/** Unexpected errors are logged with their stack, and answered with nothing but the id of the request. */
export function createFailureAnswer({ log, isDatabaseAway }: FailureDeps): FailureAnswer {
  return (error, response) => {
    const problem = toProblem(error, isDatabaseAway);
    const answer = problemAnswer(problem);
    if (answer.status >= 500) log.error({ err: error, requestId: requestIdOf(response) }, 'request failed');
    return problem.kind === 'internal' ? { ...answer, body: surprise(requestIdOf(response)) } : answer;
  };
}

/** Answers every failure in one envelope: `{"errors":["sentence",…],"details":[{"code","field","message"},…]}`. */
export function answerFailures(deps: FailureDeps): ErrorRequestHandler {
  const answerOf = createFailureAnswer(deps);
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) next(error);
    else send(response, answerOf(error, response));
  };
}

function toProblem(error: unknown, isDatabaseAway: FailureDeps['isDatabaseAway']): Problem | HttpProblem {
  if (error instanceof Problem || error instanceof HttpProblem) return error;
  // Express's own refusal of a path with broken percent-encoding.
  if (error instanceof URIError) return Problem.invalid('The path is not valid percent-encoding.');
  if (isDatabaseAway(error)) {
    return Problem.unavailable('The database cannot be used now. Try again later.', RETRY_AFTER_S, error);
  }
  return new Problem('internal', [], { cause: error });
}

function surprise(requestId: string): FailureBody {
  const message = `Something went wrong that is not the request's fault. Report it with the request id ${requestId}.`;
  return { errors: [message], details: [{ code: 'internal', message }] };
}
