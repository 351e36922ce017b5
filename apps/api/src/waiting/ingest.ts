import { Problem } from '@callout/domain/problem';
import {
  responseTo,
  type ResponseForm,
  type IngestEvent,
  type IngestResult,
  type IdempotencyKey,
} from '@callout/pipeline/ingest/request.rules';
import { createGroupCommit, type GroupCommitDeps } from '@callout/pipeline/ingest/ingest';
import type { ApiResponse } from '../http/api-response.ts';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import type { TenantBudget } from '../http/limits/tenant-budget.ts';
import type { Call } from '../http/route/endpoint.ts';

export interface IngestDeps extends GroupCommitDeps {
  /** Bounds the events that wait or are under way in the process. */
  waiting: TenantBudget;
}

/** The key under which a request is accepted once; undefined without a key. */
export type RequestKey = Omit<IdempotencyKey, 'response'> | undefined;

/** The events of a request. */
export interface IngestInput {
  call: { readonly caller: Pick<Call['caller'], 'tenantId'> } & Pick<Call, 'authentication' | 'traceParent'>;
  events: IngestEvent[];
  key: RequestKey;
  /** The form of the response after the commit. */
  response: ResponseForm;
  /** Whether the details of a problem begin with the index of the event. */
  isIndexed: boolean;
}

export interface Ingest {
  /**
   * Accepts the events of a request, all or none. A response means committed events.
   * @throws Problem when an event is refused, 409 when the key belongs to another request, 503 or 429 when too many
   * events of the process or the tenant are waiting, and 401 when the authentication of the call is now `stale`.
   */
  accept(input: IngestInput): Promise<ApiResponse>;
  /** Waits until all accepted events are committed. */
  drain(): Promise<void>;
}

/** Accepts requests by shared commits. */
export function createIngest({ waiting, ...deps }: IngestDeps): Ingest {
  const commits = createGroupCommit(deps);
  return {
    async accept({ call, events, key, response, isIndexed }) {
      const { authentication, traceParent } = call;
      const { tenantId } = call.caller;
      const idempotencyKey = key && { ...key, response };
      const reservation = waiting.reserve(tenantId);
      reservation.acquire(events.length);
      if (authentication) authentication.state = 'asked';
      const result = await commits
        .add({
          tenantId,
          events,
          ...(idempotencyKey && { idempotencyKey }),
          ...(authentication && { authentication: authentication.proof }),
          ...(traceParent !== undefined && { traceParent }),
        })
        .finally(() => reservation.releaseAll());
      if (authentication) authentication.state = result.kind === 'staleAuthentication' ? 'stale' : 'confirmed';
      if (result.kind === 'staleAuthentication') throw Problem.unauthorized('The credentials have changed');
      if (result.kind === 'moving') throw tenantIsMoving();
      if (result.kind === 'accepted') return responseTo(response, result.items);
      if (result.kind === 'refused' && result.index !== null && isIndexed) throw atIndex(result.problem, result.index);
      return repeatedResponse(result);
    },
    drain: () => commits.drain(),
  };
}

/** The response to a repeated request. Throws the Problem of a refused request. */
export function repeatedResponse(result: Extract<IngestResult, { kind: 'repeated' | 'refused' }>): ApiResponse {
  if (result.kind === 'refused') throw result.problem;
  const { status, body } = result.response;
  return { status, body: JSON.parse(body) as unknown, headers: { 'Idempotent-Replayed': 'true' } };
}

/** A problem with the index of the event. */
function atIndex(problem: Problem, index: number): Problem {
  const details = problem.details.map(({ code, field, message }) => ({
    code,
    field: field === undefined ? `events[${index}]` : `events[${index}].${field}`,
    message: `events[${index}]: ${message}`,
  }));
  return new Problem(problem.kind, details);
}
