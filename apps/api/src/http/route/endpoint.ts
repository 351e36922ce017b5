import type { ApiResponse } from '../api-response.ts';
import type { Caller, Role } from '../auth/caller.ts';
import type { PortalAccess } from '../auth/portal-guard.ts';
import type { UnconfirmedAuthentication } from '../auth/authentication-cache.ts';
import type { GivenIdempotencyKey } from '../body/idempotency-key.ts';
import type { Preconditions } from '../conditional/preconditions.ts';
import type { OperationSchema } from '../operation/operation-schema.ts';

/** A request, as an endpoint sees it. */
export interface Call {
  readonly caller: Caller;
  /** The placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined when there is no body or the method accepts none. */
  readonly body: unknown;
  /** Of an endpoint that is an ingest. */
  readonly idempotencyKey: GivenIdempotencyKey | undefined;
  /** How the caller was let in, where the commit of an ingest has to confirm it. */
  readonly authentication: UnconfirmedAuthentication | undefined;
  /** W3C Trace Context of the request; undefined: it is not traced. */
  readonly traceParent: string | undefined;
  /** The query of the URL; keys are in lower case. Throws a 400 Problem when it names a key twice. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether warnings are refusals; see `isStrict`. Throws a 400 Problem when the request is ambiguous about it. */
  readonly isStrict: boolean;
  /** `If-Match` and `If-None-Match`, for a write to compare. Throws a 400 Problem when one is no list of tags. */
  readonly preconditions: Preconditions;
  /** Scheme, host and port of the request, when they are trusted; see `hostUrl`. */
  readonly hostUrl: string | undefined;
  /** Aborted when the connection ends before the response: for endpoints that wait. */
  readonly gone: AbortSignal;
  /**
   * Whether the caller still has its rights: for endpoints that wait. The check neither counts as a request nor extends
   * a session.
   */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** One method of one path, for callers with one of `roles`. */
export interface EndpointAction {
  readonly roles: readonly Role[];
  /** Absent: a portal may not call it. */
  readonly portal?: PortalAccess;
  /** Most bytes of the body; absent = the body is not looked at. */
  readonly maxBodyBytes?: number;
  /**
   * A write that the bounded ingest limits: with a `source` credential it does not count as a request of the tenant's
   * hour, or a product would use up the hour of its customers' integrations.
   */
  readonly isIngest?: true;
  /** Changes nothing, though it may be called by POST. */
  readonly isRead?: true;
  /** Repairs the deliveries of one webhook: operators may call it for a tenant. */
  readonly isRepair?: true;
  /** Its response may wait for something to happen, such as a callout or an attempt. */
  readonly mayWait?: true;
  /** Reads something whose writes compare no versions: an `ETag` would promise that they do. */
  readonly isUntagged?: true;
  readonly handle: (call: Call) => Promise<ApiResponse>;
}

/** One method of one path. */
export interface Endpoint extends EndpointAction {
  /** Its requests and responses: `/openapi.json` is made from it. */
  readonly schema: OperationSchema;
}

/** A request, as an endpoint without credentials sees it. */
export interface PublicCall {
  /** Keys are in lower case. */
  readonly query: Readonly<Record<string, string>>;
  /** Where the request comes from. */
  readonly address: string;
  /** Scheme, host and port of the request, when they are trusted; see `hostUrl`. */
  readonly hostUrl: string | undefined;
}

/** One method of one path that needs no credentials. */
export interface PublicEndpoint {
  readonly roles: 'anyone';
  readonly respond: (call: PublicCall) => ApiResponse | Promise<ApiResponse>;
  /** Its requests and responses. */
  readonly schema: OperationSchema;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** All methods of a path; any other method is 405. */
export type Methods = Readonly<Partial<Record<Method, Endpoint | PublicEndpoint>>>;
