import type { Request, RequestHandler } from 'express';
import { ok, send } from '../api-response.ts';
import { clientAddress } from '../auth/client-address.ts';
import { documented } from '../auth/rights.ts';
import { HttpProblem } from '../http-problem.ts';
import { hostUrl } from '../server/base-url.ts';
import { noteForLog } from '../server/request-log.ts';
import type { Method, Methods, PublicCall } from './endpoint.ts';
import type { ServeDeps } from './exchange.ts';
import { serveCaller } from './serve-caller.ts';

/**
 * Turns the methods of a path into one Express handler, which reads nothing from a caller without the right: a chain of
 * middlewares would parse each body before the caller is known (`bodies.test.ts`). OPTIONS lists the methods for
 * anyone; HEAD is a GET without its body.
 * @param pathWith returns a path below that accepts a refused method, for the message of the refusal.
 */
export function serve(
  path: string,
  methods: Methods,
  deps: ServeDeps,
  pathWith: (method: string) => string | undefined = () => undefined,
): RequestHandler {
  const allowedMethods = Object.keys(methods);
  if (methods.GET !== undefined) allowedMethods.push('HEAD');
  const listedMethods = [...allowedMethods, 'OPTIONS'];

  return async function serveEndpoint(request, response): Promise<void> {
    noteForLog(response, { route: path });
    if (request.method === 'OPTIONS') {
      send(response, ok({ methods: listedMethods }), { Allow: listedMethods.join(', ') });
      return;
    }
    const endpoint = methods[(request.method === 'HEAD' ? 'GET' : request.method) as Method];
    if (endpoint === undefined) {
      const otherPath = pathWith(request.method);
      const hint = otherPath === undefined ? '' : `; ${request.method} is for ${documented(otherPath)}`;
      throw HttpProblem.methodNotAllowed(allowedMethods, hint);
    }
    if (endpoint.roles === 'anyone') {
      send(response, await endpoint.respond(publicCall(request, deps.allowedHosts)));
      return;
    }
    const isGet = endpoint === methods.GET;
    const isReading = isGet || endpoint.isRead === true;
    const isTagged = isGet && !(endpoint.mayWait ?? endpoint.isUntagged);
    await serveCaller({ deps, path, request, response, endpoint, isReading, isTagged });
  };
}

function publicCall(request: Request, allowedHosts: readonly string[]): PublicCall {
  return {
    query: request.query as Record<string, string>,
    address: clientAddress(request),
    hostUrl: hostUrl(request, allowedHosts),
  };
}
