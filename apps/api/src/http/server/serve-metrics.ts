import type { Metrics } from '@callout/runtime/metrics/registry';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../errors/http-problem.ts';
import { noteForLog } from './request-log.ts';

/** `GET /metrics` on the operator's port, for Prometheus. */
export function serveMetrics({ contentType, text }: Metrics): RequestHandler {
  return async (request, response) => {
    noteForLog(response, { route: '/metrics' });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.setHeader('Content-Type', contentType);
    response.end(await text());
  };
}
