import type { Action } from '@callout/domain/event/event';
import { previousValues, type PreviousValues, type StoredPrevious } from '@callout/domain/event/previous-values';
import type { FieldValues } from '@callout/domain/values/values';
import type { Client, Transaction } from '@callout/database/connection/database';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { timeOfId } from '@callout/database/schema/id-time';
import { lowestIdAt } from '@callout/database/schema/ids';
import { dayMs } from '@callout/database/schema/partitions';

/** A stored event, with the record's known values right after it. */
export interface StoredEvent {
  id: string;
  /** The caller's eventID; null when the service made it: then it is the id. */
  eventKey: string | null;
  tenantId: number;
  entityType: string;
  recordId: number;
  recordVersion: number;
  action: Action;
  personId: number;
  eventTime: Date;
  acceptedAt: Date;
  /** The `traceparent` of the request that brought it; null: it was not traced. */
  traceParent: string | null;
  changedFields: string[];
  changedUdfs: number[];
  previous: PreviousValues;
  fields: FieldValues;
  udfFields: FieldValues;
}

type ClaimedRow = Omit<StoredEvent, 'previous'> & {
  previous: StoredPrevious | null;
  webhooks: [key: number, version: number][] | null;
};

/** Outside the bounds only the id is read. */
const claim = statementFrom<ClaimedRow | (Pick<ClaimedRow, 'id'> & { tenantId: null })>('match/match_claim_pending');

/** The webhooks of one tenant and entity, with the committed versions by which their configurations are cached. */
export interface GroupVersions {
  tenantId: number;
  entityType: string;
  /** In order of the key. */
  webhooks: readonly (readonly [key: number, version: number])[];
}

/** Events claimed until the transaction ends, and the webhooks for which they are judged. */
export interface ClaimedEvents {
  events: StoredEvent[];
  groups: GroupVersions[];
}

/**
 * Claims pending events until the transaction ends: all pending events of the records that the given events belong
 * to, oldest first of each record, at most `limit`. Events that are no longer pending are left out.
 */
export async function claimPendingEvents(
  transaction: Transaction,
  eventIds: readonly string[],
  limit: number,
): Promise<ClaimedEvents> {
  const rows = await claimWithinDays(transaction, eventIds, limit);
  nameTransactionTrace(transaction, 'match', () => rows.map(({ traceParent }) => traceParent));
  const groups = new Map<string, GroupVersions>();
  const events = rows.map(({ webhooks, previous, ...event }) => {
    const { tenantId, entityType } = event;
    const name = `${tenantId}/${entityType}`;
    // The first event of each group has its webhooks.
    if (!groups.has(name)) groups.set(name, { tenantId, entityType, webhooks: webhooks ?? [] });
    return { ...event, previous: previousValues(event, previous) };
  });
  return { events, groups: [...groups.values()] };
}

/**
 * Events of a record are mostly of one day. If some of them are of other days, they are read again with those days,
 * under the same locks.
 */
async function claimWithinDays(
  transaction: Transaction,
  eventIds: readonly string[],
  limit: number,
): Promise<ClaimedRow[]> {
  let [from, until] = daysOf(eventIds);
  for (;;) {
    const rows = await claim(transaction, [eventIds, limit, from, until]);
    const ids = rows.map(({ id }) => id);
    if (ids.every((id) => from <= id && id < until)) return rows.filter((row) => row.tenantId !== null);
    const [first, last] = daysOf(ids);
    if (first < from) from = first;
    if (last > until) until = last;
  }
}

/** The days of these ids and those between, from the first id of the first day to that of the day after the last. */
function daysOf(ids: readonly string[]): [from: string, until: string] {
  const sorted = ids.toSorted();
  const dayOf = (id: string | undefined) => Math.floor(id === undefined ? 0 : timeOfId(id).getTime() / dayMs);
  const idAt = (day: number) => lowestIdAt(new Date(day * dayMs));
  return [idAt(dayOf(sorted.at(0))), idAt(dayOf(sorted.at(-1)) + 1)];
}

const findPending = statementFrom<{ eventId: string }>('match/match_find_pending');

/** The given events that are still pending. */
export async function stillPending(client: Client, eventIds: readonly string[]): Promise<string[]> {
  return (await findPending(client, [eventIds])).map((row) => row.eventId);
}
