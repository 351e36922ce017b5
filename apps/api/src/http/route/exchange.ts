import type { Request, Response } from 'express';
import { Problem, type ProblemKind } from '@callout/domain/problem';
import type { Authenticate } from '../auth/authenticate.ts';
import type { AuthenticationCache, UnconfirmedAuthentication } from '../auth/authentication-cache.ts';
import type { Caller } from '../auth/caller.ts';
import { clientAddress } from '../auth/client-address.ts';
import type { PortalGuard } from '../auth/portal-guard.ts';
import { givenIdempotencyKey } from '../body/idempotency-key.ts';
import { readBody, type JsonBody } from '../body/json-body.ts';
import { preconditionsOf } from '../conditional/preconditions.ts';
import type { RequestLimit } from '../limits/request-limit.ts';
import type { Reservation, TenantBudget } from '../limits/tenant-budget.ts';
import type { UnsentResponses } from '../responses/unsent-responses.ts';
import { hostUrl } from '../server/base-url.ts';
import { traceParentOf } from '../server/request-log.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { validParams, validQuery } from './query-keys.ts';
import { isStrict } from './strict.ts';

/** The dependencies of every path for access control. */
export interface ServeDeps {
  readonly authenticate: Authenticate;
  /** Restricts a portal to the webhooks of its resource; called for callers in a portal only. */
  readonly portalGuard: PortalGuard;
  readonly recall: AuthenticationCache['recall'];
  readonly requestLimit: RequestLimit;
  /** In bytes. */
  readonly bodyBudget: TenantBudget;
  readonly unsentResponses: UnsentResponses;
  /** Hosts that responses may name, besides loopback ones. */
  readonly allowedHosts: readonly string[];
}

/** A request in progress: each part is read once, also when the caller has to be authenticated after the reading. */
export interface Exchange {
  readonly deps: ServeDeps;
  /** The path as registered. */
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
  readonly endpoint: Endpoint;
  /** Whether the request changes nothing. */
  readonly isReading: boolean;
  /** Whether the response has an `ETag`. */
  readonly isTagged: boolean;
  reservation?: Reservation;
  body?: Promise<JsonBody>;
}

/** What the endpoint gets to see of a request. Throws the Problems of `readBody` and of invalid headers. */
export async function callOf(
  exchange: Exchange,
  caller: Caller,
  authentication: UnconfirmedAuthentication | undefined,
): Promise<Call> {
  const { deps, path, request, response, endpoint } = exchange;
  const params = validParams(request.params as Record<string, string>);
  exchange.reservation ??= deps.bodyBudget.reserve(caller.tenantId);
  const { maxBodyBytes } = endpoint;
  if (maxBodyBytes !== undefined) exchange.body ??= readBody(request, maxBodyBytes, exchange.reservation);
  const read = await exchange.body;
  return {
    caller,
    params,
    body: read?.value,
    idempotencyKey: endpoint.isIngest ? givenIdempotencyKey(request, path, read?.bytes) : undefined,
    authentication,
    get traceParent() {
      return traceParentOf(request, response);
    },
    // Few endpoints look at the query and the host, so the rest do not pay for reading them.
    get query() {
      return validQuery(request.query as Record<string, string>);
    },
    isStrict: isStrict(request.query as Record<string, string>, request.headers),
    get preconditions() {
      return preconditionsOf(request.headers);
    },
    get hostUrl() {
      return hostUrl(request, deps.allowedHosts);
    },
    isStillAllowed: () => isStillAllowed(exchange, caller),
    get gone() {
      return goneSignal(response);
    },
  };
}

/** Problems that end a long response; `wrongZone`: the tenant has moved. */
const refusals: ReadonlySet<ProblemKind> = new Set(['unauthorized', 'forbidden', 'wrongZone']);

/** Signs the caller of a long response in once more, which neither counts as a request nor keeps a session going. */
export async function isStillAllowed({ deps, request, endpoint }: Exchange, before: Caller): Promise<boolean> {
  try {
    const caller = await deps.authenticate(request.headers, clientAddress(request), request, true);
    return endpoint.roles.includes(caller.role) && caller.tenantId === before.tenantId;
  } catch (error) {
    // Only a refusal ends the response: a database that is away decides nothing.
    return !(error instanceof Problem && refusals.has(error.kind));
  }
}

/** Aborted when the connection of a response ends before the whole response is written. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
