import type { Request, RequestHandler, Response } from 'express';
import { Problem, type ProblemKind } from '@callout/core/errors';
import { ok, send } from '../answer.ts';
import type { UnsentAnswers } from '../answers/unsent-answers.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';
import { clientAddress } from '../auth/client-address.ts';
import { documented, refuseOtherRoles } from '../auth/refuse-other-roles.ts';
import type { PortalGuard } from '../auth/portal-guard.ts';
import { refuseWhileMoving } from '../auth/refuse-while-moving.ts';
import type { RememberedSignIn, RememberedSignIns } from '../auth/remembered-sign-ins.ts';
import { freshSignIn, StaleSignIn, type UnconfirmedSignIn } from '../auth/unconfirmed-sign-in.ts';
import { givenIdempotencyKey } from '../body/idempotency-key.ts';
import { readBody, type JsonBody } from '../body/json-body.ts';
import { HttpProblem } from '../errors/http-problem.ts';
import type { RequestLimit } from '../limits/request-limit.ts';
import type { Room, TenantBudget } from '../limits/tenant-budget.ts';
import { hostUrl } from '../server/host-url.ts';
import { noteForLog, traceParentOf } from '../server/request-log.ts';
import type { Call, Endpoint, Method, Methods, PublicCall } from './endpoint.ts';
import { soundParams, soundQuery } from './sound-text.ts';
import { isStrict } from './strict.ts';

/** What every path needs to let callers in. */
export interface ServeDeps {
  readonly authenticate: Authenticate;
  /** Keeps a portal to what it is for; asked for its callers alone. */
  readonly portalGuard: PortalGuard;
  readonly recall: RememberedSignIns['recall'];
  readonly requestLimit: RequestLimit;
  /** In bytes. */
  readonly bodyBudget: TenantBudget;
  readonly unsentAnswers: UnsentAnswers;
  /** Hosts that answers may name, beside loopback ones. */
  readonly allowedHosts: readonly string[];
}

/** What says that a caller who was let in may go on no more; `wrongZone`: its tenant has moved. */
const refusals: ReadonlySet<ProblemKind> = new Set(['unauthorized', 'forbidden', 'wrongZone']);
/** For one request: rights do not change that often. */
const MOST_SIGN_INS = 3;

/** One request on its way: what is read of it is read once, also when its caller has to sign in after that. */
interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly endpoint: Endpoint;
  room?: Room;
  body?: Promise<JsonBody>;
}

/**
 * Turns the methods of a path into one Express handler: method, credentials, limit, role, body, endpoint, answer, in this
 * order, so that nothing is read from a caller who may not call. OPTIONS tells the methods to anyone; HEAD is a GET
 * whose body stays away.
 * @param pathWith the path below this one that takes a method which this one does not, for the sentence that refuses it.
 */
export function serve(
  path: string,
  methods: Methods,
  deps: ServeDeps,
  pathWith: (method: string) => string | undefined = () => undefined,
): RequestHandler {
  const { authenticate, portalGuard, recall, requestLimit, bodyBudget, unsentAnswers, allowedHosts } = deps;
  const allowed = Object.keys(methods);
  if (methods.GET !== undefined) allowed.push('HEAD');
  const offered = [...allowed, 'OPTIONS'];
  const isReading = (endpoint: Endpoint) => endpoint === methods.GET || endpoint.isRead === true;

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
      send(response, await endpoint.answer(publicCall(request, allowedHosts)));
      return;
    }
    const exchange: Exchange = { request, response, endpoint };
    try {
      const address = clientAddress(request);
      const remembered = endpoint.isIntake === true ? recall(request.headers, address) : undefined;
      if (remembered !== undefined && (await isServed(exchange, remembered))) return;
      const caller = await authenticate(request.headers, address, request);
      noteForLog(response, { tenantId: caller.tenantId });
      if (caller.isSession === true && isReading(endpoint)) await requestLimit.countReading(caller);
      else if (isCounted(endpoint, caller)) await requestLimit.count(caller);
      await serveSignedIn(exchange, caller);
    } finally {
      exchange.room?.leave();
    }
  };

  /**
   * Serves a caller who was let in a moment ago, if the commit of its request confirms that. What no commit has confirmed,
   * such as that a body is wrong, is not answered.
   * @returns false when nothing was done and nothing answered: the caller has to sign in.
   */
  async function isServed(exchange: Exchange, { caller, proof }: RememberedSignIn): Promise<boolean> {
    if (isCounted(exchange.endpoint, caller)) return false;
    const signIn: UnconfirmedSignIn = { proof, state: 'open' };
    noteForLog(exchange.response, { tenantId: caller.tenantId });
    try {
      await serveCaller(exchange, caller, signIn);
      return true;
    } catch (error) {
      if (signIn.state === 'open' || signIn.state === 'stale') return false;
      throw error;
    }
  }

  /** Serves a caller who has signed in for this request, once more when its rights changed before the commit. */
  async function serveSignedIn(exchange: Exchange, signedIn: Caller): Promise<void> {
    const { request, endpoint } = exchange;
    let caller = signedIn;
    for (let tries = 1; ; tries += 1) {
      try {
        await serveCaller(exchange, caller, freshSignIn(endpoint, caller));
        return;
      } catch (error) {
        if (!(error instanceof StaleSignIn) || tries >= MOST_SIGN_INS) throw error;
        caller = await authenticate(request.headers, clientAddress(request), request, true);
      }
    }
  }

  async function serveCaller(exchange: Exchange, caller: Caller, signIn?: UnconfirmedSignIn): Promise<void> {
    const { request, response, endpoint } = exchange;
    refuseOtherRoles(endpoint, caller, request.method, path);
    refuseWhileMoving(caller, isReading(endpoint));
    if (caller.portal !== undefined) {
      await portalGuard(caller, { method: request.method, path, params: request.params as Record<string, string> });
    }
    const { tenantId } = caller;
    const mayRefuse = isReading(endpoint);
    if (endpoint.isIntake !== true) unsentAnswers.admit(tenantId);
    const answer = await endpoint.handle(await callOf(exchange, caller, signIn));
    if (signIn !== undefined && signIn.state !== 'confirmed' && signIn.isFresh !== true) throw new StaleSignIn();
    if (answer.stream !== undefined) {
      answer.stream(response, () => isStillAllowed(request, endpoint, caller));
      return;
    }
    unsentAnswers.send(response, answer, { tenantId, mayRefuse });
  }

  /** Signs the caller of a long answer in once more, which neither counts as a request nor keeps a session going. */
  async function isStillAllowed(request: Request, endpoint: Endpoint, before: Caller): Promise<boolean> {
    try {
      const caller = await authenticate(request.headers, clientAddress(request), request, true);
      return endpoint.roles.includes(caller.role) && caller.tenantId === before.tenantId;
    } catch (error) {
      // Only what says no ends it: a database that is away says nothing.
      return !(error instanceof Problem && refusals.has(error.kind));
    }
  }

  async function callOf(exchange: Exchange, caller: Caller, signIn: UnconfirmedSignIn | undefined): Promise<Call> {
    const { request, response, endpoint } = exchange;
    const { maxBodyBytes, isIntake } = endpoint;
    const params = soundParams(request.params as Record<string, string>);
    exchange.room ??= bodyBudget.enter(caller.tenantId);
    if (maxBodyBytes !== undefined) exchange.body ??= readBody(request, maxBodyBytes, exchange.room);
    const read = await exchange.body;
    return {
      caller,
      params,
      body: read?.value,
      idempotencyKey: isIntake ? givenIdempotencyKey(request, path, read?.bytes) : undefined,
      signIn,
      get traceParent() {
        return traceParentOf(request, exchange.response);
      },
      // Few endpoints look at the query and the host, so the others do not pay for reading them.
      get query() {
        return soundQuery(request.query as Record<string, string>);
      },
      get isStrict() {
        return isStrict(request.query as Record<string, string>, request.headers);
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
  return endpoint.isIntake !== true || caller.role !== 'source';
}

function publicCall(request: Request, allowedHosts: readonly string[]): PublicCall {
  return {
    query: request.query as Record<string, string>,
    address: clientAddress(request),
    hostUrl: hostUrl(request, allowedHosts),
  };
}
