import { Problem } from '@callout/domain/problem';
import { recordKeyOf, type IngestResult, type PlacedEvent } from './request.rules.ts';

/**
 * The known values of a record are stored with each event, so many short events of a long record need much space: the
 * length of a record and of a commit are bounded, counted in characters of the stored JSON. A record with every text of
 * the catalogue at its maximum length has a third of the bound.
 */
export const maxRecordLength = 256 * 1024;
/** Of all events of a commit together: twice the size of the largest body. */
export const maxCommitLength = 32 * 1024 * 1024;

/** So many records are never longer than a commit may be, and are read without a look at their length. */
export const mostUnmeasured = maxCommitLength / maxRecordLength;

/**
 * The requests, by their index, whose records are too long to be read at once.
 * @param needed the events of each request whose decision needs the record.
 * @param lengths of the records that exist, by `recordKeyOf`.
 * @throws when the records of the remaining requests are too much together, so that they need separate commits.
 */
export function requestsTooLong(
  needed: readonly (readonly PlacedEvent[])[],
  lengths: ReadonlyMap<string, number>,
): ReadonlySet<number> {
  const lengthOf = (records: ReadonlySet<string>) =>
    [...records].reduce((sum, record) => sum + (lengths.get(record) ?? 0), 0);
  const tooLong = new Set<number>();
  const readable = new Set<string>();
  for (const [index, events] of needed.entries()) {
    const records = new Set(events.map(recordKeyOf));
    if (lengthOf(records) > maxCommitLength) tooLong.add(index);
    else for (const record of records) readable.add(record);
  }
  if (lengthOf(readable) > maxCommitLength) throw tooMuchTogether();
  return tooLong;
}

/** Separate commits of the same requests succeed. */
export function tooMuchTogether(): Error {
  return new Error('these requests are too much for one commit');
}

export function recordTooLong(): Problem {
  const message = `the values known of this record would be more than ${maxRecordLength} characters of JSON`;
  return new Problem('invalid', [{ code: 'tooLong', message }]);
}

/** The refusal of a request whose records are too long together. */
export function recordsTooLong(): IngestResult {
  const message =
    `The values known of these records are more than ${maxCommitLength} characters of JSON: ` +
    'send the events in parts, with fewer records in each.';
  return { kind: 'refused', index: null, problem: Problem.tooLarge(message) };
}

/** The refusal of a request whose events are too long together, since each has all values of the record. */
export function requestTooLong(): IngestResult {
  const message =
    `The values known of these records, once for each event, are more than ${maxCommitLength} characters of JSON: ` +
    'send fewer events at a time.';
  return { kind: 'refused', index: null, problem: Problem.tooLarge(message) };
}
