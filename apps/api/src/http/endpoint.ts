import type { Request, RequestHandler, Response } from 'express';
import { Problem } from '@callout/core';
import { send, type Answer } from './answer.ts';
import type { Authenticate, Caller, Role } from './authenticate.ts';
import { readJsonBody } from './json-body.ts';
import { noteForLog } from './request-log.ts';

/** What an endpoint gets to see of a request. */
export interface Call {
  readonly caller: Caller;
  /** The placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined when there is no body or the method takes none. */
  readonly body: unknown;
}

/** One method of one path, for callers with one of `roles`. */
export interface Endpoint {
  readonly roles: readonly Role[];
  /** Most bytes of the body; absent = the body is not looked at. */
  readonly maxBodyBytes?: number;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** One method of one path that needs no credentials. */
export interface PublicEndpoint {
  readonly roles: 'anyone';
  readonly handle: () => Answer;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Everything a path answers; any other method is 405. */
export type Methods = Readonly<Partial<Record<Method, Endpoint | PublicEndpoint>>>;

/**
 * Turns the methods of a path into one Express handler: method, credentials, role, body, endpoint, answer, in this
 * order, so that nothing is read from a caller who may not call.
 */
export function serve(path: string, methods: Methods, authenticate: Authenticate): RequestHandler {
  const allowed = Object.keys(methods);
  if (methods.GET !== undefined) allowed.push('HEAD');

  return async function serveEndpoint(request: Request, response: Response): Promise<void> {
    noteForLog(response, { route: path });
    const endpoint = methods[(request.method === 'HEAD' ? 'GET' : request.method) as Method];
    if (endpoint === undefined) throw Problem.methodNotAllowed(allowed);
    if (endpoint.roles === 'anyone') {
      send(response, endpoint.handle());
      return;
    }
    const caller = await authenticate(request.headers);
    noteForLog(response, { tenantId: caller.tenantId });
    if (!endpoint.roles.includes(caller.role)) {
      throw Problem.forbidden(`A credential with the role ${caller.role} may not ${request.method} ${path}.`);
    }
    const { maxBodyBytes } = endpoint;
    const body = maxBodyBytes === undefined ? undefined : await readJsonBody(request, maxBodyBytes);
    send(response, await endpoint.handle({ caller, params: request.params as Record<string, string>, body }));
  };
}
