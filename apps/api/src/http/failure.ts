import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { Problem } from '@callout/domain/problem';
import { isDatabaseAway, isDatabaseBusy } from '@callout/database/connection/database-away';
import type { Logger } from '@callout/runtime/log/logger';
import { send, type ApiResponse } from './api-response.ts';
import { requestIdOf } from './server/request-log.ts';
import { HttpProblem } from './http-problem.ts';
import { problemResponse, type FailureBody } from './problem-response.ts';

const RETRY_AFTER_S = 5;
const MAX_SHOWN_PATH = 200;

/**
 * The last route: no path matched. The message differs from the message for a missing record.
 * @param findNearest returns a similar existing path.
 */
export function unknownPath(findNearest: (path: string) => string | undefined = () => undefined): RequestHandler {
  return (request) => refusePath(request.path, findNearest(request.path));
}

function refusePath(requestPath: string, nearest: string | undefined): never {
  const path = requestPath.length > MAX_SHOWN_PATH ? `${requestPath.slice(0, MAX_SHOWN_PATH)}…` : requestPath;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw Problem.notFound(`There is no path ${path}; GET /openapi.json lists every path.${hint}`);
}

/** The response to a failure, for any thrown value. */
export type FailureResponse = (error: unknown, response: Response) => ApiResponse & { readonly body: FailureBody };

/** Unexpected errors are logged with their stack; their response has the id of the request only. */
export function createFailureResponse(log: Logger): FailureResponse {
  return (error, response) => {
    const problem = toProblem(error);
    const reply = problemResponse(problem);
    if (reply.status >= 500) log.error({ err: error, requestId: requestIdOf(response) }, 'request failed');
    return problem.kind === 'internal' ? { ...reply, body: surprise(requestIdOf(response)) } : reply;
  };
}

/**
 * Answers every failure in an envelope, where the default handler of Express would send a page with the stack
 * (`app.test.ts`): `{"errors":["sentence",…],"details":[{"code","field","message"},…]}`.
 */
export function respondToFailures(log: Logger): ErrorRequestHandler {
  const responseOf = createFailureResponse(log);
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) next(error);
    else send(response, responseOf(error, response));
  };
}

function toProblem(error: unknown): Problem | HttpProblem {
  if (error instanceof Problem || error instanceof HttpProblem) return error;
  // Express's own refusal of a path with broken percent-encoding.
  if (error instanceof URIError) return Problem.invalid('The path is not valid percent-encoding.');
  if (isDatabaseBusy(error)) {
    return Problem.unavailable('The database is busy. Send this again later.', RETRY_AFTER_S, error);
  }
  if (isDatabaseAway(error)) {
    return Problem.unavailable('The database cannot be used now. Try again later.', RETRY_AFTER_S, error);
  }
  return new Problem('internal', [], { cause: error });
}

function surprise(requestId: string): FailureBody {
  const message = `Something went wrong that is not the request's fault. Report it with the request id ${requestId}.`;
  return { errors: [message], details: [{ code: 'internal', message }] };
}
