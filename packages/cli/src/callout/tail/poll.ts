import { ApiError, type CalloutClient, type Schemas } from '@callout/client';
import type { LiveAttempt } from './live-stream.ts';

/** The newest callouts that one look compares with those of the look before. */
const looksAt = 200;
/** Callouts that one look reads whole, to know of their attempts. */
const readsAtMost = 50;

export interface Poller {
  /** Returns the attempts since the last look, oldest first; the first look those since the poller was made. */
  look(): Promise<void>;
  /** Records an attempt from another source. @returns false when it was shown already. */
  note(attempt: LiveAttempt): boolean;
}

/** Finds attempts in the delivery log, when none come live. */
export function createPoller(
  client: CalloutClient,
  query: { readonly webhookGUID?: string },
  onAttempt: (attempt: LiveAttempt) => void,
  signal: AbortSignal,
  startedAt = new Date(),
): Poller {
  /** The highest attempt that was shown, by callout. */
  const shown = new Map<string, number>();
  const seen = new Map<string, number>();

  function note({ calloutID, attempt: { number } }: LiveAttempt): boolean {
    if ((shown.get(calloutID) ?? 0) >= number) return false;
    shown.set(calloutID, number);
    return true;
  }

  async function attemptsOf(calloutID: string): Promise<LiveAttempt[]> {
    const { data } = await client
      .GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } }, signal })
      // Gone meanwhile, as a day of the log is dropped.
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return { data: undefined };
        throw error;
      });
    const callout = data?.item;
    if (callout === undefined) return [];
    return callout.attempts.map((attempt) => liveAttempt(callout, attempt));
  }

  return {
    note,
    async look() {
      const { data } = await client.GET('/v1.0/Callouts', {
        params: { query: { ...query, maxRecords: looksAt } },
        signal,
      });
      const changed = (data?.items ?? [])
        .filter(({ id, attemptsMade }) => attemptsMade > (seen.get(id) ?? 0))
        .slice(0, readsAtMost);
      const attempts: LiveAttempt[] = [];
      for (const { id, attemptsMade } of changed) {
        attempts.push(...(await attemptsOf(id)));
        seen.set(id, attemptsMade);
      }
      const isNew = ({ attempt }: LiveAttempt) => Date.parse(attempt.startDateTime) >= startedAt.getTime();
      const inOrder = attempts
        .filter(isNew)
        .toSorted((a, b) => (a.attempt.startDateTime < b.attempt.startDateTime ? -1 : 1));
      for (const attempt of inOrder) if (note(attempt)) onAttempt(attempt);
    },
  };
}

type Details = Schemas['CalloutDetails'];

/** In the form of the stream. The present state of a callout is known with its last attempt only. */
function liveAttempt(callout: Details, attempt: Details['attempts'][number]): LiveAttempt {
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
