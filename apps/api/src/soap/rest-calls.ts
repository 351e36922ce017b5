import { type Caller, refuseWhileMoving } from '../http/auth/caller.ts';
import { refuseOtherRoles } from '../http/auth/rights.ts';
import { freshAuthentication } from '../http/auth/authentication-cache.ts';
import type { Method } from '../http/route/endpoint.ts';
import type { Route } from '../http/route/route-table.ts';

/** The parameters of a call to a path. */
interface GivenCall {
  /** The placeholders of the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls endpoints of the REST API for a caller, with the roles, rules and sentences of their paths. */
export interface RestCalls {
  /**
   * The body of the response. Throws a Problem as the endpoint does.
   * @param path as registered below `/v1.0`, like `/CompanyWebhooks/:id`.
   */
  call(method: Method, path: string, givenCall?: GivenCall): Promise<unknown>;
}

/** The request that calls the endpoints. */
export interface CallingRequest {
  readonly caller: Caller;
  readonly hostUrl: string | undefined;
  /** W3C Trace Context; undefined: not traced. */
  readonly traceParent: string | undefined;
}

/** The endpoints of a table of routes. */
export interface RestEndpoints {
  has(method: Method, path: string): boolean;
  callsOf(from: CallingRequest): RestCalls;
}

/** No endpoint for SOAP waits for the caller. */
const never = new AbortController().signal;

/** Lets the SOAP API be another form of the endpoints, without a separate rule. */
export function createRestEndpoints(routes: readonly Route[]): RestEndpoints {
  const byPath = new Map(routes.map(({ path, methods }) => [path, methods]));
  return {
    has: (method, path) => byPath.get(path)?.[method] !== undefined,
    callsOf: ({ caller, hostUrl, traceParent }) => ({
      async call(method, path, { params = {}, body } = {}) {
        const endpoint = byPath.get(path)?.[method];
        if (endpoint === undefined || endpoint.roles === 'anyone') throw new Error(`no endpoint ${method} ${path}`);
        refuseOtherRoles(endpoint, caller, method, path);
        refuseWhileMoving(caller, method === 'GET' || endpoint.isRead === true);
        const { body: answered } = await endpoint.handle({
          caller,
          params,
          body,
          hostUrl,
          query: {},
          preconditions: {},
          isStrict: false,
          idempotencyKey: undefined,
          authentication: freshAuthentication(endpoint, caller),
          traceParent,
          gone: never,
          isStillAllowed: () => Promise.resolve(true),
        });
        return answered;
      },
    }),
  };
}
