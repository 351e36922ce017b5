import type { Request, RequestHandler, Response } from 'express';
import { Problem } from '@callout/core/errors';
import type { RequestLimit } from '../limits/request-limit.ts';
import type { Room, TenantBudget } from '../limits/tenant-budget.ts';
import { ok, send, type Answer } from '../answer.ts';
import type { UnsentAnswers } from '../answers/unsent-answers.ts';
import type { Authenticate, Caller, Role } from '../auth/authenticate.ts';
import { clientAddress } from '../auth/client-address.ts';
import { hostUrl } from '../server/host-url.ts';
import { givenIdempotencyKey, type GivenIdempotencyKey } from '../body/idempotency-key.ts';
import { readBody } from '../body/json-body.ts';
import type { OperationSchema } from './operation-schema.ts';
import { isStrict } from './strict.ts';
import { noteForLog } from '../server/request-log.ts';
import { soundParams, soundQuery } from './sound-text.ts';
import { HttpProblem } from '../errors/http-problem.ts';

/** What an endpoint gets to see of a request. */
export interface Call {
  readonly caller: Caller;
  /** The placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined when there is no body or the method takes none. */
  readonly body: unknown;
  /** Of an endpoint that is an intake. */
  readonly idempotencyKey: GivenIdempotencyKey | undefined;
  /** The query of the URL; keys are in lower case. Throws a 400 Problem when it names a key twice. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether warnings are to be refusals; see `isStrict`. Throws a 400 Problem when that cannot be told. */
  readonly isStrict: boolean;
  /** Scheme, host and port that the caller used, when they can be believed; see `hostUrl`. */
  readonly hostUrl: string | undefined;
}

/** One method of one path, for callers with one of `roles`. */
export interface Endpoint {
  readonly roles: readonly Role[];
  /** Most bytes of the body; absent = the body is not looked at. */
  readonly maxBodyBytes?: number;
  /**
   * A write that the bounded intake limits: with a `source` credential it does not count as a request of the tenant's hour,
   * or a product would use up the hour of its customers' integrations.
   */
  readonly isIntake?: true;
  /** Changes nothing, though it may be called by POST. */
  readonly isRead?: true;
  readonly handle: (call: Call) => Promise<Answer>;
  /** What it takes and answers. */
  readonly schema?: OperationSchema;
}

/** What an endpoint that needs no credentials gets to see of a request. */
export interface PublicCall {
  /** Keys are in lower case. */
  readonly query: Readonly<Record<string, string>>;
  /** Where the request comes from. */
  readonly address: string;
  /** Scheme, host and port that the caller used, when they can be believed; see `hostUrl`. */
  readonly hostUrl: string | undefined;
}

/** One method of one path that needs no credentials. */
export interface PublicEndpoint {
  readonly roles: 'anyone';
  readonly answer: (call: PublicCall) => Answer | Promise<Answer>;
  /** What it takes and answers. */
  readonly schema?: OperationSchema;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Everything a path answers; any other method is 405. */
export type Methods = Readonly<Partial<Record<Method, Endpoint | PublicEndpoint>>>;

/** What every path needs to let callers in. */
export interface ServeDeps {
  readonly authenticate: Authenticate;
  readonly requestLimit: RequestLimit;
  /** In bytes. */
  readonly bodyBudget: TenantBudget;
  readonly unsentAnswers: UnsentAnswers;
  /** Hosts that answers may name, beside loopback ones. */
  readonly allowedHosts: readonly string[];
}

/**
 * Turns the methods of a path into one Express handler: method, credentials, limit, role, body, endpoint, answer, in this
 * order, so that nothing is read from a caller who may not call. OPTIONS tells the methods to anyone; HEAD is a GET
 * whose body stays away.
 */
export function serve(path: string, methods: Methods, deps: ServeDeps): RequestHandler {
  const { authenticate, requestLimit, bodyBudget, unsentAnswers, allowedHosts } = deps;
  const allowed = Object.keys(methods);
  if (methods.GET !== undefined) allowed.push('HEAD');
  const offered = [...allowed, 'OPTIONS'];

  return async function serveEndpoint(request: Request, response: Response): Promise<void> {
    noteForLog(response, { route: path });
    if (request.method === 'OPTIONS') {
      send(response, ok({ methods: offered }), { Allow: offered.join(', ') });
      return;
    }
    const endpoint = methods[(request.method === 'HEAD' ? 'GET' : request.method) as Method];
    if (endpoint === undefined) throw HttpProblem.methodNotAllowed(allowed);
    if (endpoint.roles === 'anyone') {
      send(response, await endpoint.answer(publicCall(request, allowedHosts)));
      return;
    }
    const caller = await authenticate(request.headers, clientAddress(request));
    noteForLog(response, { tenantId: caller.tenantId });
    const isCounted = endpoint.isIntake !== true || caller.role !== 'source';
    if (isCounted) await requestLimit.count(caller);
    if (!endpoint.roles.includes(caller.role)) {
      const documented = path.replaceAll(/:(\w+)/gu, '{$1}');
      throw Problem.forbidden(
        `A credential with the role ${caller.role} may not ${request.method} ${documented}. ` +
          `It takes the role ${endpoint.roles.join(' or ')}; GET /docs explains the roles.`,
      );
    }
    const { tenantId } = caller;
    const mayRefuse = endpoint === methods.GET || endpoint.isRead === true;
    if (endpoint.isIntake !== true) unsentAnswers.admit(tenantId);
    const room = bodyBudget.enter(tenantId);
    try {
      const answer = await endpoint.handle(await callOf(request, caller, endpoint, room));
      unsentAnswers.send(response, answer, { tenantId, mayRefuse });
    } finally {
      room.leave();
    }
  };

  async function callOf(request: Request, caller: Caller, endpoint: Endpoint, room: Room): Promise<Call> {
    const { maxBodyBytes, isIntake } = endpoint;
    const params = soundParams(request.params as Record<string, string>);
    const read = maxBodyBytes === undefined ? undefined : await readBody(request, maxBodyBytes, room);
    return {
      caller,
      params,
      body: read?.value,
      idempotencyKey: isIntake ? givenIdempotencyKey(request, path, read?.bytes) : undefined,
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
    };
  }
}

function publicCall(request: Request, allowedHosts: readonly string[]): PublicCall {
  return {
    query: request.query as Record<string, string>,
    address: clientAddress(request),
    hostUrl: hostUrl(request, allowedHosts),
  };
}
