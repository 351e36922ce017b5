import type { Request, RequestHandler, Response } from 'express';
import { Problem, type ProblemKind } from '@callout/domain/problem';
import { type ApiResponse, ok, send, withWarnings } from '../api-response.ts';
import type { UnsentResponses } from '../responses/unsent-responses.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { type Caller, refuseWhileMoving } from '../auth/caller.ts';
import { clientAddress } from '../auth/client-address.ts';
import { documented, refuseOtherRoles } from '../auth/rights.ts';
import type { PortalGuard } from '../auth/portal-guard.ts';
import {
  type CachedCaller,
  type AuthenticationCache,
  freshAuthentication,
  type UnconfirmedAuthentication,
} from '../auth/authentication-cache.ts';
import { givenIdempotencyKey } from '../body/idempotency-key.ts';
import { readBody, type JsonBody } from '../body/json-body.ts';
import { HttpProblem } from '../http-problem.ts';
import type { RequestLimit } from '../limits/request-limit.ts';
import { preconditionsOf, preconditionsOfRead, refuseVersions } from '../conditional/preconditions.ts';
import type { Reservation, TenantBudget } from '../limits/tenant-budget.ts';
import { hostUrl } from '../server/base-url.ts';
import { noteForLog, traceParentOf } from '../server/request-log.ts';
import type { Call, Endpoint, Method, Methods, PublicCall } from './endpoint.ts';
import { validParams, validQuery } from './query-keys.ts';
import { isStrict, refuseWhenStrict } from './strict.ts';

/** The dependencies of every path for access control. */
export interface ServeDeps {
  readonly authenticate: Authenticate;
  /** Restricts a portal to its own webhooks; called for callers in a portal only. */
  readonly portalGuard: PortalGuard;
  readonly recall: AuthenticationCache['recall'];
  readonly requestLimit: RequestLimit;
  /** In bytes. */
  readonly bodyBudget: TenantBudget;
  readonly unsentResponses: UnsentResponses;
  /** Hosts that responses may name, besides loopback ones. */
  readonly allowedHosts: readonly string[];
}

/** Problems that end a long response; `wrongZone`: its tenant has moved. */
const refusals: ReadonlySet<ProblemKind> = new Set(['unauthorized', 'forbidden', 'wrongZone']);
/** For one request: rights do not change that often. */
const MOST_SIGN_INS = 3;

/** One request in progress: each part is read once, also when its caller has to be authenticated after that. */
interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly endpoint: Endpoint;
  reservation?: Reservation;
  body?: Promise<JsonBody>;
}

/**
 * Turns the methods of a path into one Express handler: method, credentials, limit, role, body, endpoint, response, in
 * this order, so that nothing is read from a caller without the right. OPTIONS lists the methods for anyone; HEAD is a
 * GET without its body.
 * @param pathWith returns the path below this one that accepts a method that this one does not, for the message of the
 * refusal.
 */
export function serve(
  path: string,
  methods: Methods,
  deps: ServeDeps,
  pathWith: (method: string) => string | undefined = () => undefined,
): RequestHandler {
  const { authenticate, portalGuard, recall, requestLimit, bodyBudget, unsentResponses, allowedHosts } = deps;
  const allowed = Object.keys(methods);
  if (methods.GET !== undefined) allowed.push('HEAD');
  const offered = [...allowed, 'OPTIONS'];
  const isReading = (endpoint: Endpoint) => endpoint === methods.GET || endpoint.isRead === true;
  const isTagged = (endpoint: Endpoint) => endpoint === methods.GET && !(endpoint.mayWait ?? endpoint.isUntagged);

  return async function serveEndpoint(request: Request, response: Response): Promise<void> {
    noteForLog(response, { route: path });
    if (request.method === 'OPTIONS') {
      send(response, ok({ methods: offered }), { Allow: offered.join(', ') });
      return;
    }
    const endpoint = methods[(request.method === 'HEAD' ? 'GET' : request.method) as Method];
    if (endpoint === undefined) {
      const other = pathWith(request.method);
      const hint = other === undefined ? '' : `; ${request.method} is for ${documented(other)}`;
      throw HttpProblem.methodNotAllowed(allowed, hint);
    }
    if (endpoint.roles === 'anyone') {
      send(response, await endpoint.respond(publicCall(request, allowedHosts)));
      return;
    }
    if (endpoint.mayWait === true) noteForLog(response, { mayWait: true });
    const exchange: Exchange = { request, response, endpoint };
    try {
      const address = clientAddress(request);
      const cached = endpoint.isIngest === true ? recall(request.headers, address) : undefined;
      if (cached !== undefined && (await isServed(exchange, cached))) return;
      const caller = await authenticate(request.headers, address, request);
      noteForLog(response, { tenantId: caller.tenantId });
      if (caller.isSession === true && isReading(endpoint)) await requestLimit.countReading(caller);
      else if (isCounted(endpoint, caller)) await requestLimit.count(caller);
      await serveSignedIn(exchange, caller);
    } finally {
      exchange.reservation?.releaseAll();
    }
  };

  /**
   * Serves a caller with a cached authentication, if the commit of its request confirms it. A response that no commit
   * has confirmed, for example about an invalid body, is not sent.
   * @returns false when nothing was done and no response sent: the caller has to be authenticated.
   */
  async function isServed(exchange: Exchange, { caller, proof }: CachedCaller): Promise<boolean> {
    if (isCounted(exchange.endpoint, caller)) return false;
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
    const { request, endpoint } = exchange;
    let caller = signedIn;
    for (let tries = 1; ; tries += 1) {
      const authentication = freshAuthentication(endpoint, caller);
      try {
        sendTo(exchange, caller, await respond(exchange, caller, authentication));
        return;
      } catch (error) {
        if (authentication?.state !== 'stale' || tries >= MOST_SIGN_INS) throw error;
        caller = await authenticate(request.headers, clientAddress(request), request, true);
      }
    }
  }

  async function respond(
    exchange: Exchange,
    caller: Caller,
    authentication: UnconfirmedAuthentication | undefined,
  ): Promise<ApiResponse> {
    const { request, endpoint } = exchange;
    refuseOtherRoles(endpoint, caller, request.method, path);
    refuseWhileMoving(caller, isReading(endpoint));
    const { version } = endpoint.schema;
    const comparesVersions = isReading(endpoint) || version === 'changed' || version === 'deleted';
    if (!comparesVersions) refuseVersions(request.headers, request.method === 'POST');
    if (caller.portal !== undefined) {
      await portalGuard(caller, endpoint.portal, request.params as Record<string, string>);
    }
    if (endpoint.isIngest !== true) unsentResponses.admit(caller.tenantId);
    const call = await callOf(exchange, caller, authentication);
    const { losses = [] } = (await exchange.body) ?? {};
    refuseWhenStrict(call, losses);
    return withWarnings(await endpoint.handle(call), losses);
  }

  function sendTo({ request, response, endpoint }: Exchange, caller: Caller, apiResponse: ApiResponse): void {
    if (apiResponse.stream !== undefined) {
      apiResponse.stream(response, () => isStillAllowed(request, endpoint, caller));
      return;
    }
    unsentResponses.send(response, apiResponse, {
      tenantId: caller.tenantId,
      mayRefuse: isReading(endpoint),
      ...(isTagged(endpoint) && { preconditions: preconditionsOfRead(request.headers) }),
    });
  }

  /** Signs the caller of a long response in once more, which neither counts as a request nor keeps a session going. */
  async function isStillAllowed(request: Request, endpoint: Endpoint, before: Caller): Promise<boolean> {
    try {
      const caller = await authenticate(request.headers, clientAddress(request), request, true);
      return endpoint.roles.includes(caller.role) && caller.tenantId === before.tenantId;
    } catch (error) {
      // Only a refusal ends it: a database that is away decides nothing.
      return !(error instanceof Problem && refusals.has(error.kind));
    }
  }

  async function callOf(
    exchange: Exchange,
    caller: Caller,
    authentication: UnconfirmedAuthentication | undefined,
  ): Promise<Call> {
    const { request, response, endpoint } = exchange;
    const { maxBodyBytes, isIngest } = endpoint;
    const params = validParams(request.params as Record<string, string>);
    exchange.reservation ??= bodyBudget.reserve(caller.tenantId);
    if (maxBodyBytes !== undefined) exchange.body ??= readBody(request, maxBodyBytes, exchange.reservation);
    const read = await exchange.body;
    return {
      caller,
      params,
      body: read?.value,
      idempotencyKey: isIngest ? givenIdempotencyKey(request, path, read?.bytes) : undefined,
      authentication,
      get traceParent() {
        return traceParentOf(request, exchange.response);
      },
      // Few endpoints look at the query and the host, so the others do not pay for reading them.
      get query() {
        return validQuery(request.query as Record<string, string>);
      },
      isStrict: isStrict(request.query as Record<string, string>, request.headers),
      get preconditions() {
        return preconditionsOf(request.headers);
      },
      get hostUrl() {
        return hostUrl(request, allowedHosts);
      },
      isStillAllowed: () => isStillAllowed(request, exchange.endpoint, caller),
      get gone() {
        return goneSignal(response);
      },
    };
  }
}

/** Aborted when the connection of a response ends before it is written. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function isCounted(endpoint: Endpoint, caller: Caller): boolean {
  return endpoint.isIngest !== true || caller.role !== 'source';
}

function publicCall(request: Request, allowedHosts: readonly string[]): PublicCall {
  return {
    query: request.query as Record<string, string>,
    address: clientAddress(request),
    hostUrl: hostUrl(request, allowedHosts),
  };
}
