import type { Action, FieldValues } from '@callout/core/ingest';
import type { Client, Transaction } from '../connection/database.ts';
import { statementFrom } from '../connection/statement/statement.ts';

/** An event as it was stored, with the record's known values right after it. */
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
  changedFields: string[];
  changedUdfs: number[];
  fields: FieldValues;
  udfFields: FieldValues;
}

const claim = statementFrom<StoredEvent & { webhooks: [key: number, version: number][] | null }>(
  'match/match_claim_pending',
);

/** The webhooks of one tenant and entity, as they are committed: their configurations are read by key and version. */
export interface GroupVersions {
  tenantId: number;
  entityType: string;
  /** In order of the key. */
  webhooks: readonly (readonly [key: number, version: number])[];
}

/** Events for the rest of a transaction, and the webhooks that they are judged for. */
export interface ClaimedEvents {
  events: StoredEvent[];
  groups: GroupVersions[];
}

/**
 * Claims pending events for the rest of the transaction: all pending events of the records that the named ones belong
 * to, oldest first of each record, at most `limit`. Those that are not pending any more are left out.
 */
export async function claimPendingEvents(
  transaction: Transaction,
  eventIds: readonly string[],
  limit: number,
): Promise<ClaimedEvents> {
  const rows = await claim(transaction, [eventIds, limit]);
  const groups = new Map<string, GroupVersions>();
  const events = rows.map(({ webhooks, ...event }) => {
    const { tenantId, entityType } = event;
    const name = `${tenantId}/${entityType}`;
    // The first event of each group brings its webhooks.
    if (!groups.has(name)) groups.set(name, { tenantId, entityType, webhooks: webhooks ?? [] });
    return event;
  });
  return { events, groups: [...groups.values()] };
}

const findPending = statementFrom<{ eventId: string }>('match/match_find_pending');

/** Those of the named events that are pending. */
export async function stillPending(client: Client, eventIds: readonly string[]): Promise<string[]> {
  return (await findPending(client, [eventIds])).map((row) => row.eventId);
}
