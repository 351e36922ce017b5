import type { RequestHandler } from 'express';
import { HttpProblem } from '../http/errors/http-problem.ts';
import { noteForLog } from '../http/server/request-log.ts';

/** `GET /metrics` on the operator's port, for Prometheus. */
export function serveMetrics(text: () => Promise<string>): RequestHandler {
  return async (request, response) => {
    noteForLog(response, { route: '/metrics' });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(await text());
  };
}
