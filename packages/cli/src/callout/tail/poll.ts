import { ApiError, type CalloutClient, type Schemas } from '@callout/client';

/** The newest callouts that a look compares with the look before. */
const looksAt = 200;
/** Callouts that a look reads whole, for their attempts. */
const readsAtMost = 50;

/** An ended attempt, and the callout. */
export interface EndedAttempt {
  readonly calloutID: string;
  readonly entityType: string;
  readonly webhookID: number;
  readonly recordID: number | null;
  readonly sequenceNumber: number;
  readonly kind: string;
  /** Of the callout after the attempt. */
  readonly state: string;
  readonly attempt: {
    readonly number: number;
    readonly startDateTime: string;
    readonly durationMs: number;
    /** Null: there was no answer. */
    readonly status: number | null;
    readonly reason: string | null;
  };
  readonly nextAttemptDateTime: string | null;
}

export interface Poller {
  /** Calls `onAttempt` for the attempts since the last look, oldest first; at first for those since the poller was made. */
  look(): Promise<void>;
}

/** Finds attempts in the delivery log. */
export function createPoller(
  client: CalloutClient,
  query: { readonly webhookGUID?: string },
  onAttempt: (attempt: EndedAttempt) => void,
  signal: AbortSignal,
  startedAt = new Date(),
): Poller {
  /** The highest attempt that was shown, by callout. */
  const shown = new Map<string, number>();
  const seen = new Map<string, number>();

  function note({ calloutID, attempt: { number } }: EndedAttempt): boolean {
    if ((shown.get(calloutID) ?? 0) >= number) return false;
    shown.set(calloutID, number);
    return true;
  }

  async function attemptsOf(calloutID: string): Promise<EndedAttempt[]> {
    const { data } = await client
      .GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } }, signal })
      // Gone meanwhile, as a day of the log is dropped.
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return { data: undefined };
        throw error;
      });
    const callout = data?.item;
    if (callout === undefined) return [];
    return callout.attempts.map((attempt) => endedAttempt(callout, attempt));
  }

  return {
    async look() {
      const { data } = await client.GET('/v1.0/Callouts', {
        params: { query: { ...query, maxRecords: looksAt } },
        signal,
      });
      const changed = (data?.items ?? [])
        .filter(({ id, attemptsMade }) => attemptsMade > (seen.get(id) ?? 0))
        .slice(0, readsAtMost);
      const attempts: EndedAttempt[] = [];
      for (const { id, attemptsMade } of changed) {
        attempts.push(...(await attemptsOf(id)));
        seen.set(id, attemptsMade);
      }
      const isNew = ({ attempt }: EndedAttempt) => Date.parse(attempt.startDateTime) >= startedAt.getTime();
      const inOrder = attempts
        .filter(isNew)
        .toSorted((a, b) => (a.attempt.startDateTime < b.attempt.startDateTime ? -1 : 1));
      for (const attempt of inOrder) if (note(attempt)) onAttempt(attempt);
    },
  };
}

type Details = Schemas['CalloutDetails'];

/** The present state of a callout is known with its last attempt only. */
function endedAttempt(callout: Details, attempt: Details['attempts'][number]): EndedAttempt {
  const { number, startDateTime, durationMs, status, failure, nextAttemptDateTime } = attempt;
  const isLast = number === callout.attemptsMade;
  return {
    calloutID: callout.id,
    entityType: callout.entityType,
    webhookID: callout.webhookID,
    recordID: callout.recordID,
    sequenceNumber: callout.sequenceNumber,
    kind: callout.kind,
    state: isLast ? callout.state : 'due',
    attempt: { number, startDateTime, durationMs, status, reason: failure },
    nextAttemptDateTime,
  };
}
