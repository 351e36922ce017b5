import type { Arrival } from '../receivers/arrivals.ts';
import { grouped } from './grouped.ts';
import type { ExpectedCallout } from './model.ts';
import type { MergedCallout } from './settled.ts';

/** A record at a receiver: the values that it was shown; undefined: it has none. */
type Held = Readonly<Record<string, string | null>> | undefined;

function receive(held: Held, { action, fields }: Pick<ExpectedCallout, 'action' | 'fields'>): Held {
  if (action === 'Delete') return undefined;
  return action === 'Create' ? fields : { ...held, ...fields };
}

/**
 * The callouts of a webhook that merges: each owed event is in a callout that came, or in one of which nothing was left;
 * the callouts of a record came in order; and the receiver ends with the values of one that got everything.
 * @param firsts the first arrival of each callout.
 */
export function compareMerged(
  webhook: string,
  owed: readonly ExpectedCallout[],
  firsts: readonly Arrival[],
  merged: readonly MergedCallout[],
): string[] {
  const problems: string[] = [];
  const came = new Set(firsts.flatMap(({ eventId, body }) => [eventId, ...(body.MergedEventIDs ?? [])]));
  const undone = new Set(merged.flatMap(({ eventId, isUndone }) => (isUndone ? [eventId] : [])));
  const mergedNumbers = new Set(merged.map(({ sequenceNumber }) => sequenceNumber));
  for (const { eventId } of owed) {
    if (!came.has(eventId) && !undone.has(eventId)) problems.push(`${webhook}: the change of ${eventId} is lost`);
  }
  const owedIds = new Set(owed.map(({ eventId }) => eventId));
  for (const eventId of came) if (!owedIds.has(eventId)) problems.push(`${webhook}: nothing was owed for ${eventId}`);
  for (const { body } of firsts) {
    if (mergedNumbers.has(body.SequenceNumber))
      problems.push(`${webhook}: ${body.SequenceNumber} was merged, and came`);
  }
  const cameOf = grouped(firsts, ({ body }) => String(body.Id));
  const owedOf = grouped(owed, ({ recordId }) => String(recordId));
  for (const [record, expected] of owedOf) {
    const arrivals = cameOf.get(record) ?? [];
    const inOrder = arrivals.toSorted((a, b) => a.body.SequenceNumber - b.body.SequenceNumber);
    if (inOrder.some((arrival, nth) => arrival !== arrivals[nth]))
      problems.push(`${webhook}: record ${record} came out of order`);
    const everything = expected.reduce<Held>(receive, undefined);
    const held = inOrder.reduce<Held>(
      (known, { body }) => receive(known, { action: body.Action, fields: body.Fields }),
      undefined,
    );
    const [wanted, got] = [everything, held].map((one) =>
      JSON.stringify(one && Object.entries(one).toSorted(([a], [b]) => a.localeCompare(b))),
    );
    if (wanted !== got) problems.push(`${webhook}: record ${record} ended as ${got}, not as ${wanted}`);
  }
  return problems;
}
