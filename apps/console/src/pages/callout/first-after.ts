/** Callouts from a sequence number to another, both included. */
export interface SequenceRange {
  readonly fromSequence?: number;
  readonly toSequence?: number;
}

/**
 * The first callout after a sequence number, from lists with the newest callout first: the last row of a page with all
 * later callouts, else found by halving the range, so a record with a million later callouts takes some twenty pages
 * and not thousands.
 * @param list the newest of a range, at most `mostOfPage`.
 */
export async function firstAfter<Row extends { readonly sequenceNumber: number }>(
  sequenceNumber: number,
  list: (range: SequenceRange) => Promise<readonly Row[]>,
  mostOfPage: number,
): Promise<Row | null> {
  let from = sequenceNumber + 1;
  let rows = await list({ fromSequence: from });
  let earliest = rows.at(-1);
  if (earliest === undefined || rows.length < mostOfPage) return earliest ?? null;
  while (from < earliest.sequenceNumber) {
    // The lower half of the range may have an earlier callout.
    const to = from + Math.floor((earliest.sequenceNumber - 1 - from) / 2);
    rows = await list({ fromSequence: from, toSequence: to });
    const lastRow = rows.at(-1);
    if (lastRow === undefined) from = to + 1;
    else if (rows.length < mostOfPage) return lastRow;
    else earliest = lastRow;
  }
  return earliest;
}
