import { Problem } from '@callout/core/errors';
import {
  answerTo,
  type AnswerForm,
  type IntakeEvent,
  type IntakeRequest,
  type IntakeResult,
  type RepeatKey,
} from '@callout/core/ingest';
import type { IntakeCommit } from '@callout/db/ingest';
import { createBatches } from '@callout/runtime/concurrency';
import type { Answer } from '../http/answer.ts';
import { tenantIsMoving } from '../http/auth/refuse-while-moving.ts';
import { StaleSignIn, type UnconfirmedSignIn } from '../http/auth/unconfirmed-sign-in.ts';
import type { TenantBudget } from '../http/limits/tenant-budget.ts';

export interface IntakeDeps {
  /** Takes several requests in one transaction. */
  commit: (requests: readonly IntakeRequest[]) => Promise<IntakeCommit>;
  /** Whether an error speaks of the database and not of a request. */
  isDatabaseAway: (error: unknown) => boolean;
  /** Names the events that are pending now to the workers; also told whose they are. Must not wait. */
  enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Events in one commit at most; one request is never split. */
  maxEventsPerCommit: number;
  /** Bounds the events that wait or are under way in this process. */
  waiting: TenantBudget;
}

/** The key under which a request is taken once; undefined when it has none. */
export type RequestKey = Omit<RepeatKey, 'answer'> | undefined;

/** The events of one request. */
export interface Taking {
  tenantId: number;
  events: IntakeEvent[];
  key: RequestKey;
  /** How the caller was let in, where the commit has to confirm it. */
  signIn: UnconfirmedSignIn | undefined;
  /** W3C Trace Context of the request. */
  traceParent: string | undefined;
  /** What is answered when they are committed. */
  answer: AnswerForm;
  /** Whether a problem is told with the index of its event in front of the field. */
  isIndexed: boolean;
}

export interface Intake {
  /**
   * Takes the events of one request, all or none. What it answers is committed.
   * @throws Problem when an event is refused, 409 when the key belongs to another request, and 503 or 429 when this
   *   process, or the tenant in it, has more waiting than it may.
   */
  take(taking: Taking): Promise<Answer>;
  /** Waits until what was taken in is committed. */
  drain(): Promise<void>;
}

/**
 * Two, so that one batch is locked and compared while the other is written to disk; but a few single events are cheaper
 * in the next commit than in one of their own, whose statements cost the same for one event as for many. A commit that
 * takes long waits for the locks of another process, and delays no other commit.
 */
const commitsAtOnce = 2;
const besideAnother = { leastWeight: 100, patienceMs: 50 };

/**
 * Group commit: requests that come while a commit is under way share the next one. Nothing waits for company when the
 * database is idle, and the busier it is, the more requests share a commit.
 */
export function createIntake({ maxEventsPerCommit, waiting, ...deps }: IntakeDeps): Intake {
  const batches = createBatches<IntakeRequest, Outcome>({
    gatherMs: 0,
    maxWeight: maxEventsPerCommit,
    weigh: (request) => request.events.length,
    concurrency: commitsAtOnce,
    beside: besideAnother,
    write: (requests) => commitTogether(deps, requests),
  });
  return {
    async take({ tenantId, events, key, signIn, traceParent, answer, isIndexed }) {
      const repeatKey = key && { ...key, answer };
      const room = waiting.enter(tenantId);
      room.take(events.length);
      if (signIn) signIn.state = 'asked';
      const result = await batches
        .add({
          tenantId,
          events,
          ...(repeatKey && { repeatKey }),
          ...(signIn && { signIn: signIn.proof }),
          ...(traceParent !== undefined && { traceParent }),
        })
        .finally(() => room.leave());
      if (result.kind === 'broken') throw result.error;
      if (signIn) signIn.state = result.kind === 'staleSignIn' ? 'stale' : 'confirmed';
      if (result.kind === 'staleSignIn') throw new StaleSignIn();
      if (result.kind === 'moving') throw tenantIsMoving();
      if (result.kind === 'accepted') return answerTo(answer, result.items);
      if (result.kind === 'refused' && result.index !== null && isIndexed) throw atIndex(result.problem, result.index);
      return repeatedAnswer(result);
    },
    drain: () => batches.drain(),
  };
}

/** What a repeated request is answered. Throws the Problem of one that is refused. */
export function repeatedAnswer(result: Extract<IntakeResult, { kind: 'repeated' | 'refused' }>): Answer {
  if (result.kind === 'refused') throw result.problem;
  const { status, body } = result.answer;
  return { status, body: JSON.parse(body) as unknown, headers: { 'Idempotent-Replayed': 'true' } };
}

/** `broken`: something of ours failed, for this request alone. */
type Outcome = IntakeResult | { kind: 'broken'; error: unknown };

type CommitDeps = Pick<IntakeDeps, 'commit' | 'isDatabaseAway' | 'enqueueMatch'>;

/** When a shared commit fails because of one of its requests, each gets a commit of its own, so that the others succeed. */
async function commitTogether(deps: CommitDeps, requests: readonly IntakeRequest[]): Promise<readonly Outcome[]> {
  try {
    const { results, eventIds, tenantIds } = await deps.commit(requests);
    if (eventIds.length > 0) deps.enqueueMatch(eventIds, tenantIds);
    return results;
  } catch (error) {
    if (requests.length === 1 || deps.isDatabaseAway(error)) throw error;
    const outcomes: Outcome[] = [];
    for (const request of requests) {
      try {
        outcomes.push(...(await commitTogether(deps, [request])));
      } catch (error) {
        outcomes.push({ kind: 'broken', error });
      }
    }
    return outcomes;
  }
}

/** The same problem, naming the event it is about. */
function atIndex(problem: Problem, index: number): Problem {
  const details = problem.details.map(({ code, field, message }) => ({
    code,
    field: field === undefined ? `events[${index}]` : `events[${index}].${field}`,
    message: `events[${index}]: ${message}`,
  }));
  return new Problem(problem.kind, details);
}
