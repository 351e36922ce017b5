/** What searches of one API process may use. */
export const searchLimits = {
  /** Connections of their own: searches of several tenants at once, and few beside those of writes. */
  connections: 4,
  /** People wait no longer for a list, and a query that needs more should be narrowed. */
  timeoutMs: 10_000,
};

/**
 * Requests per hour with which the console may read for one resource without using up the limit of its tenant: a page
 * that is open asks every two seconds, and a person may have several open all day.
 */
export const consoleReadsPerHour = 20_000;

/** The largest body of events, as a multiple of MAX_BODY_BYTES: by default 1,000 events of 16 KiB. */
export const eventsBodyShare = 16;

/** Bodies in flight, as a multiple of MAX_BODY_BYTES: two of the largest batches, so that one tenant never has all. */
export const bodiesInFlightShare = 32;

/** Bytes of answers that clients have not read yet: eight of the largest pages, which have 8 MiB. */
export const answerBytesInFlight = 64 * 1024 * 1024;

/** Events of one commit: as many as the largest batch, and few enough that a commit takes less than a second. */
export const eventsPerCommit = 1_000;

/** Events that wait for a commit: 20 commits, so that none waits for more than some seconds. */
export const eventsWaiting = 20_000;

/** Requests that wait for callouts to fetch: they hold a socket each, and no database connection. */
export const pullsWaiting = 1_000;
