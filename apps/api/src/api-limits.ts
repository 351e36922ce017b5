/** What searches of an API process may use. */
export const searchLimits = {
  /** Separate connections: for searches of several tenants at once, and few beside the connections of writes. */
  connections: 4,
  /** People wait no longer for a list, and a longer query should be narrowed. */
  timeoutMs: 10_000,
};

/**
 * Requests per hour with which the console may read for a resource without using up the limit of the tenant: an open
 * page asks every two seconds, and a person may have several open all day.
 */
export const consoleReadsPerHour = 20_000;

/** The largest body of events, as a multiple of MAX_BODY_BYTES: by default 1,000 events of 16 KiB. */
export const eventsBodyShare = 16;

/** Bodies in flight, as a multiple of MAX_BODY_BYTES: two of the largest batches, since no tenant may have all. */
export const bodiesInFlightShare = 32;

/** Bytes of answers before clients read them: eight of the largest pages, which have 8 MiB. */
export const answerBytesInFlight = 64 * 1024 * 1024;

/** Events of a commit: as many as the largest batch, and few enough for a commit of less than a second. */
export const eventsPerCommit = 1_000;

/** Events that wait for a commit: 20 commits, which take some seconds at most. */
export const eventsWaiting = 20_000;

/** Requests that wait for callouts to fetch: each has a socket, and no database connection. */
export const pullsWaiting = 1_000;
