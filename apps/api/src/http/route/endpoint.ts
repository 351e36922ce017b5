import type { ApiResponse } from '../api-response.ts';
import type { Caller, Role } from '../auth/caller.ts';
import type { PortalAccess } from '../auth/portal-guard.ts';
import type { UnconfirmedAuthentication } from '../auth/authentication-cache.ts';
import type { GivenIdempotencyKey } from '../body/idempotency-key.ts';
import type { Preconditions } from '../conditional/preconditions.ts';
import type { OperationSchema } from '../operation/operation-schema.ts';

/** A request, as an endpoint sees the parts. */
export interface Call {
  readonly caller: Caller;
  /** The placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined without a body, or for a method that accepts no body. */
  readonly body: unknown;
  /** Of an endpoint that is an ingest. */
  readonly idempotencyKey: GivenIdempotencyKey | undefined;
  /** How the caller was authenticated, where the commit of an ingest has to confirm the authentication. */
  readonly authentication: UnconfirmedAuthentication | undefined;
  /** W3C Trace Context of the request; undefined: not traced. */
  readonly traceParent: string | undefined;
  /** The query of the URL; keys are in lower case. Throws a 400 Problem for a duplicate key. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether warnings are refusals; see `isStrict`. Throws a 400 Problem when the request is ambiguous. */
  readonly isStrict: boolean;
  /** `If-Match` and `If-None-Match`, for a write to compare. Throws a 400 Problem for an invalid list of tags. */
  readonly preconditions: Preconditions;
  /** Scheme, host and port of the request, when trusted; see `hostUrl`. */
  readonly hostUrl: string | undefined;
  /** Aborted when the connection ends before the response: for waiting endpoints. */
  readonly gone: AbortSignal;
  /**
   * Whether the caller still has the rights: for waiting endpoints. The check neither counts as a request nor extends a
   * session.
   */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** A method of a path, for callers with a role among `roles`. */
export interface EndpointAction {
  readonly roles: readonly Role[];
  /** Absent: closed to portals. */
  readonly portal?: PortalAccess;
  /** Most bytes of the body; absent = the body is not looked at. */
  readonly maxBodyBytes?: number;
  /**
   * A write that the bounded ingest limits: with a `source` credential the write does not count as a request of the
   * tenant's hour, since a product would use up the hour of all integrations.
   */
  readonly isIngest?: true;
  /** Changes nothing, even by POST. */
  readonly isRead?: true;
  /** Repairs the deliveries of a webhook: operators may use the endpoint for a tenant. */
  readonly isRepair?: true;
  /** The response may wait for something to happen, like a callout or an attempt. */
  readonly mayWait?: true;
  /** Reads something whose writes compare no versions: an `ETag` would promise a comparison. */
  readonly isUntagged?: true;
  readonly handle: (call: Call) => Promise<ApiResponse>;
}

/** A method of a path. */
export interface Endpoint extends EndpointAction {
  /** Requests and responses: `/openapi.json` is made from the schema. */
  readonly schema: OperationSchema;
}

/** A request of an endpoint without credentials. */
export interface PublicCall {
  /** Keys are in lower case. */
  readonly query: Readonly<Record<string, string>>;
  /** Where the request comes from. */
  readonly address: string;
  /** Scheme, host and port of the request, when trusted; see `hostUrl`. */
  readonly hostUrl: string | undefined;
}

/** A method of a path without credentials. */
export interface PublicEndpoint {
  readonly roles: 'anyone';
  readonly respond: (call: PublicCall) => ApiResponse | Promise<ApiResponse>;
  /** Requests and responses. */
  readonly schema: OperationSchema;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** All methods of a path; any further method is 405. */
export type Methods = Readonly<Partial<Record<Method, Endpoint | PublicEndpoint>>>;
