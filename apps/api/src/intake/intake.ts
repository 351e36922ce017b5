import { Problem } from '@callout/core';
import type { IntakeCommit, IntakeItem, IntakeRequest, IntakeResult } from '@callout/db';
import { createBatches } from '@callout/runtime';

export interface IntakeDeps {
  /** Takes several requests in one transaction. */
  commit: (requests: readonly IntakeRequest[]) => Promise<IntakeCommit>;
  /** Whether an error speaks of the database and not of a request. */
  isDatabaseAway: (error: unknown) => boolean;
  /** Told of the events that are pending now. Must not wait. */
  onCommitted: (eventIds: string[]) => void;
  /** Events in one commit at most; one request is never split. */
  maxEventsPerCommit: number;
  /** Events that may wait or be under way in this process; beyond that requests are turned away. */
  maxWaitingEvents: number;
}

export interface Intake {
  /**
   * Takes the events of one request, all or none. What it returns is committed.
   * @throws Problem when an event is refused (with `index` in front of the field when `indexed`), or 503 when this
   *   process has more waiting than it may.
   */
  take(request: IntakeRequest, options?: { indexed: boolean }): Promise<IntakeItem[]>;
  /** Waits until what was taken in is committed. */
  drain(): Promise<void>;
}

/** Two, so that one batch is locked and compared while the other is written to disk. */
const commitsAtOnce = 2;

/**
 * Group commit: requests that come while a commit is under way share the next one. Nothing waits for company when the
 * database is idle, and the busier it is, the more requests share a commit.
 */
export function createIntake({ maxEventsPerCommit, maxWaitingEvents, ...deps }: IntakeDeps): Intake {
  const batches = createBatches<IntakeRequest, Outcome>({
    gatherMs: 0,
    maxWeight: maxEventsPerCommit,
    weigh: (request) => request.events.length,
    concurrency: commitsAtOnce,
    write: (requests) => commitTogether(deps, requests),
  });
  return {
    async take(request, { indexed } = { indexed: false }) {
      if (batches.weight() + request.events.length > maxWaitingEvents && batches.weight() > 0) {
        throw Problem.unavailable('Too many events are waiting to be stored: send this request again.', 1);
      }
      const result = await batches.add(request);
      if (result.kind === 'accepted') return result.items;
      if (result.kind === 'broken') throw result.error;
      throw indexed ? atIndex(result.problem, result.index) : result.problem;
    },
    drain: () => batches.drain(),
  };
}

/** `broken`: something of ours failed, for this request alone. */
type Outcome = IntakeResult | { kind: 'broken'; error: unknown };

type CommitDeps = Pick<IntakeDeps, 'commit' | 'isDatabaseAway' | 'onCommitted'>;

/** When a shared commit fails because of one of its requests, each gets a commit of its own: the others are innocent. */
async function commitTogether(deps: CommitDeps, requests: readonly IntakeRequest[]): Promise<readonly Outcome[]> {
  try {
    const { results, eventIds } = await deps.commit(requests);
    if (eventIds.length > 0) deps.onCommitted(eventIds);
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
  return new Problem(problem.status, details);
}
