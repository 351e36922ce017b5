import type { Write } from './writes.ts';

/**
 * The client's knowledge of a write.
 * - `taken`: an event, with a 2xx response;
 * - `unchanged`: a 2xx response, and no event, because the record had these values already;
 * - `duplicate`: an earlier sending was one of the two, and its response got lost;
 * - `refused`: a 4xx response;
 * - `open`: no response.
 */
export interface LedgerEntry {
  readonly write: Write;
  /** How often it was sent. Whether a request without a response was carried out is not known. */
  sent: number;
  outcome: 'open' | 'taken' | 'unchanged' | 'duplicate' | 'refused';
  /** The record's id, once it is known. */
  recordId: number | null;
}

/** How many events a write may have become. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * An eventID makes repeats harmless: one event at most, none once it was found to change nothing. A record write may be
 * carried out once for each time it was sent (a POST without an id, or a PATCH after another client's), except that the
 * sending that was refused did nothing.
 */
export function eventsOf({ write, sent, outcome }: LedgerEntry): Bounds {
  const least = outcome === 'taken' ? 1 : 0;
  if (write.way === 'record') return { least, most: outcome === 'refused' ? sent - 1 : sent };
  return { least, most: outcome === 'unchanged' || outcome === 'refused' ? 0 : 1 };
}
