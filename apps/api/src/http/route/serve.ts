import type { Request, RequestHandler } from 'express';
import { type ApiResponse, ok, send, withWarnings } from '../api-response.ts';
import {
  type CachedCaller,
  freshAuthentication,
  type UnconfirmedAuthentication,
} from '../auth/authentication-cache.ts';
import { type Caller, refuseWhileMoving } from '../auth/caller.ts';
import { clientAddress } from '../auth/client-address.ts';
import { documented, refuseOtherRoles } from '../auth/rights.ts';
import { preconditionsOfRead, refuseVersions } from '../conditional/preconditions.ts';
import { HttpProblem } from '../http-problem.ts';
import { hostUrl } from '../server/base-url.ts';
import { noteForLog } from '../server/request-log.ts';
import type { Method, Methods, PublicCall } from './endpoint.ts';
import { callOf, type Exchange, isStillAllowed, type ServeDeps } from './exchange.ts';
import { refuseWhenStrict } from './strict.ts';

/** For each request: rights do not change more often than that. */
const MOST_SIGN_INS = 3;

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

/** Serves an endpoint that needs credentials: credentials, limit, role, body, endpoint, response, in this order. */
async function serveCaller(exchange: Exchange): Promise<void> {
  const { deps, request, response, endpoint, isReading } = exchange;
  if (endpoint.mayWait === true) noteForLog(response, { mayWait: true });
  try {
    const address = clientAddress(request);
    const cached = endpoint.isIngest === true ? deps.recall(request.headers, address) : undefined;
    if (cached !== undefined && (await isServedCached(exchange, cached))) return;
    const caller = await deps.authenticate(request.headers, address, request);
    noteForLog(response, { tenantId: caller.tenantId });
    if (caller.isSession === true && isReading) await deps.requestLimit.countReading(caller);
    else if (isCounted(exchange, caller)) await deps.requestLimit.count(caller);
    await serveSignedIn(exchange, caller);
  } finally {
    exchange.reservation?.releaseAll();
  }
}

/**
 * Serves a caller with a cached authentication, if the commit of the request confirms the authentication. A response
 * that no commit has confirmed, for example about an invalid body, is not sent.
 * @returns false when nothing was done and no response sent: the caller has to be authenticated.
 */
async function isServedCached(exchange: Exchange, { caller, proof }: CachedCaller): Promise<boolean> {
  if (isCounted(exchange, caller)) return false;
  const authentication: UnconfirmedAuthentication = { proof, state: 'open' };
  noteForLog(exchange.response, { tenantId: caller.tenantId });
  try {
    const apiResponse = await respond(exchange, caller, authentication);
    if (authentication.state !== 'confirmed') return false;
    sendTo(exchange, caller, apiResponse);
    return true;
  } catch (error) {
    if (authentication.state === 'open' || authentication.state === 'stale') return false;
    throw error;
  }
}

/** Serves a caller that was authenticated for this request, once more when its rights changed before the commit. */
async function serveSignedIn(exchange: Exchange, signedIn: Caller): Promise<void> {
  const { deps, request, endpoint } = exchange;
  let caller = signedIn;
  for (let tries = 1; ; tries += 1) {
    const authentication = freshAuthentication(endpoint, caller);
    try {
      sendTo(exchange, caller, await respond(exchange, caller, authentication));
      return;
    } catch (error) {
      if (authentication?.state !== 'stale' || tries >= MOST_SIGN_INS) throw error;
      caller = await deps.authenticate(request.headers, clientAddress(request), request, true);
    }
  }
}

async function respond(
  exchange: Exchange,
  caller: Caller,
  authentication: UnconfirmedAuthentication | undefined,
): Promise<ApiResponse> {
  const { deps, path, request, endpoint, isReading } = exchange;
  refuseOtherRoles(endpoint, caller, request.method, path);
  refuseWhileMoving(caller, isReading);
  const { version } = endpoint.schema;
  const comparesVersions = isReading || version === 'changed' || version === 'deleted';
  if (!comparesVersions) refuseVersions(request.headers, request.method === 'POST');
  if (caller.portal !== undefined) {
    await deps.portalGuard(caller, endpoint.portal, request.params as Record<string, string>);
  }
  if (endpoint.isIngest !== true) deps.unsentResponses.admit(caller.tenantId);
  const call = await callOf(exchange, caller, authentication);
  const { losses = [] } = (await exchange.body) ?? {};
  refuseWhenStrict(call, losses);
  return withWarnings(await endpoint.handle(call), losses);
}

function sendTo(exchange: Exchange, caller: Caller, apiResponse: ApiResponse): void {
  const { deps, request, response, isReading, isTagged } = exchange;
  if (apiResponse.stream !== undefined) {
    apiResponse.stream(response, () => isStillAllowed(exchange, caller));
    return;
  }
  deps.unsentResponses.send(response, apiResponse, {
    tenantId: caller.tenantId,
    mayRefuse: isReading,
    ...(isTagged && { preconditions: preconditionsOfRead(request.headers) }),
  });
}

function isCounted({ endpoint }: Exchange, caller: Caller): boolean {
  return endpoint.isIngest !== true || caller.role !== 'source';
}
