import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { readTraceParent } from '@callout/domain/trace-parent';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing';

/** A request with the response. */
export interface ServedRequest {
  readonly method: string;
  /** The path as registered, like `/Companies`; undefined: no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** Whether the response waits for an event, so that the duration is no measure of the process. */
  readonly mayWait: boolean;
  /** The span of the request; absent: the request is not traced. */
  readonly traceParent?: string | undefined;
}

/** The fields of a request's log line besides method, status and time. */
interface LogNote {
  /** The path as registered, without the ids of the request. */
  readonly route?: string;
  readonly tenantId?: number;
  /** The status for log and metrics, if different from the status of the response. */
  readonly meantStatus?: number;
  /** Whether the response may wait for something to happen. */
  readonly mayWait?: boolean;
}

const REQUEST_ID = /^[\w.:-]{1,100}$/;
/** The status for 'the client went away before the response', as reverse proxies log it. */
const CLIENT_GONE = 499;

/**
 * Gives each request an id (a valid `X-Request-Id` of the caller), returns it in `X-Request-Id`, and logs one line when
 * the response is sent. The line has no header, no body and no query.
 * @param onResponse called for each request as well; must not wait.
 * @param tracing has a span of each request; undefined: nothing is traced.
 */
export function logRequests(
  log: Logger,
  onResponse?: (request: ServedRequest) => void,
  tracing?: Pick<Tracing, 'begin'>,
): RequestHandler {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    const span = tracing?.begin('request', 'server', readTraceParent(request.get('traceparent')));
    if (span !== undefined) response.locals['traceParent'] = span.traceParent;
    const clientRequestId = request.get('x-request-id');
    const requestId =
      clientRequestId !== undefined && REQUEST_ID.test(clientRequestId) ? clientRequestId : randomUUID();
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const note = noteOf(response);
      const status = response.writableFinished ? (note.meantStatus ?? response.statusCode) : CLIENT_GONE;
      const durationMs = performance.now() - startedAtMs;
      const { route, mayWait = false } = note;
      onResponse?.({ method: request.method, route, status, durationMs, mayWait, traceParent: span?.traceParent });
      span?.end({
        name: `${request.method} ${route ?? 'other'}`,
        attributes: {
          'http.request.method': request.method,
          'http.response.status_code': status,
          ...(route !== undefined && { 'http.route': route }),
        },
        ...(status >= 500 && { error: String(status) }),
      });
      const line = {
        requestId,
        method: request.method,
        // Of an unknown path there is nothing but the path itself.
        route: note.route ?? request.originalUrl.split('?', 1)[0]?.slice(0, 200),
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(note.tenantId === undefined ? {} : { tenantId: note.tenantId }),
      };
      if (status >= 500) log.error(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** Adds to the log line of the request of a response. */
export function noteForLog(response: Response, note: LogNote): void {
  response.locals['logNote'] = { ...noteOf(response), ...note };
}

/** The id of the request of a response. */
export function requestIdOf(response: Response): string {
  return String(response.locals['requestId']);
}

/** The trace context of a request: from the process or, without tracing, from the request; undefined: no context. */
export function traceParentOf(request: Pick<Request, 'get'>, response: Pick<Response, 'locals'>): string | undefined {
  return (response.locals['traceParent'] as string | undefined) ?? readTraceParent(request.get('traceparent'));
}

function noteOf(response: Response): LogNote {
  return (response.locals['logNote'] as LogNote | undefined) ?? {};
}
