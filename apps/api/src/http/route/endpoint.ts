import type { Answer } from '../answer.ts';
import type { Caller, Role } from '../auth/caller.ts';
import type { UnconfirmedSignIn } from '../auth/unconfirmed-sign-in.ts';
import type { GivenIdempotencyKey } from '../body/idempotency-key.ts';
import type { OperationSchema } from '../operation/operation-schema.ts';

/** What an endpoint gets to see of a request. */
export interface Call {
  readonly caller: Caller;
  /** The placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined when there is no body or the method takes none. */
  readonly body: unknown;
  /** Of an endpoint that is an intake. */
  readonly idempotencyKey: GivenIdempotencyKey | undefined;
  /** How the caller was let in, where the commit of an intake has to confirm it. */
  readonly signIn: UnconfirmedSignIn | undefined;
  /** W3C Trace Context of the request; undefined: it is not traced. */
  readonly traceParent: string | undefined;
  /** The query of the URL; keys are in lower case. Throws a 400 Problem when it names a key twice. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether warnings are to be refusals; see `isStrict`. Throws a 400 Problem when that cannot be told. */
  readonly isStrict: boolean;
  /** Scheme, host and port that the caller used, when they can be believed; see `hostUrl`. */
  readonly hostUrl: string | undefined;
  /** Aborted when the connection ends before the answer: for what waits. */
  readonly gone: AbortSignal;
  /** Whether the caller may still do what it was let in for: for what waits. Neither counts as a request nor keeps a session going. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** What one method of one path does, for callers with one of `roles`. */
export interface EndpointAction {
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
}

/** One method of one path. */
export interface Endpoint extends EndpointAction {
  /** What it takes and answers: `/openapi.json` is made from it. */
  readonly schema: OperationSchema;
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
  readonly schema: OperationSchema;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Everything a path answers; any other method is 405. */
export type Methods = Readonly<Partial<Record<Method, Endpoint | PublicEndpoint>>>;
