import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import type { Client } from '@callout/database/connection/database';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { emptyFieldValues } from '@callout/domain/values/values';
import { createIngestCommit, type IngestCommit } from '../ingest/ingest.ts';
import type { IngestEvent, IngestRequest } from '../ingest/request.rules.ts';
import { changedFieldsOf, valuesOf, type StoredOccurrence } from './occurrence.rules.ts';

/** Occurrences per commit. */
const mostAtOnce = 500;
/** Acts for Callout: no resource has the id, and bodies say null. */
const noPerson = 0;

interface OccurrenceRow {
  id: string;
  tenantId: number;
  actorResourceId: number | null;
  occurredAt: Date;
  content: StoredOccurrence;
  /** The address of the tenant's zone. */
  zoneUrl: string | null;
}

const find = statementFrom<{ id: string }>('health/occurrences_find');

const read = statementFrom<OccurrenceRow>('health/occurrences_read');

const findRecords = statementFrom<{ tenantId: number; guid: string; id: number }>('health/occurrences_find_records');

const remove = statementFrom('health/occurrences_remove');

const removeMade = statementFrom('health/occurrences_remove_made');

/** The page of a webhook in the console, by the address of the zone; null where the address is unknown. */
export type WebhookPage = (webhook: StoredOccurrence['webhook'], zoneUrl: string | null) => string | null;

/** Makes events of what happened to webhooks. Returns how many, with the events that are now pending. */
export type MakeHealthEvents = (isStopping: () => boolean) => Promise<string[]>;

/**
 * Makes an event of each stored occurrence, in order, as the ingest makes events of integrators. The id of an occurrence is
 * the eventID, so an event that was made before a crash is not made twice, however long ago. A single process makes
 * events at a time.
 */
export function createHealthEvents(pool: Pool, pageOf: WebhookPage): MakeHealthEvents {
  const commit = createIngestCommit(pool);
  return async (isStopping) => {
    const [first] = await find(pool, []);
    if (first === undefined) return [];
    const eventIds = await oneAtATime(pool, { lock: advisoryLocks.makeHealthEvents, settings: {} }, async (client) => {
      await removeMade(client, []);
      const eventIds: string[] = [];
      for (;;) {
        const round = await makeOnce(client, commit, pageOf);
        eventIds.push(...round.eventIds);
        if (round.remaining === 0 || round.done === 0 || isStopping()) return eventIds;
      }
    });
    return eventIds ?? [];
  };
}

interface Round {
  eventIds: string[];
  /** Occurrences with an event now. */
  done: number;
  /** Occurrences without an event that were read or may remain. */
  remaining: number;
}

async function makeOnce(
  client: Client,
  commit: (requests: readonly IngestRequest[]) => Promise<IngestCommit>,
  pageOf: WebhookPage,
): Promise<Round> {
  const rows = await read(client, [mostAtOnce]);
  if (rows.length === 0) return { eventIds: [], done: 0, remaining: 0 };
  const guids = [...new Set(rows.map(({ content }) => content.webhook.guid))];
  const tenantIds = [...new Set(rows.map(({ tenantId }) => tenantId))];
  const recordIds = new Map(
    (await findRecords(client, [tenantIds, guids])).map(({ tenantId, guid, id }) => [`${tenantId}/${guid}`, id]),
  );
  const nextRows = takeable(rows, recordIds);
  const byTenant = new Map<number, OccurrenceRow[]>();
  for (const row of nextRows) byTenant.set(row.tenantId, [...(byTenant.get(row.tenantId) ?? []), row]);
  const requests = [...byTenant].map(([tenantId, ofTenant]) => ({
    tenantId,
    events: ofTenant.map((row) => eventOf(row, recordIds.get(nameOf(row)) ?? null, pageOf)),
  }));
  const { results, eventIds } = await commit(requests);
  const done = [...byTenant.values()].flatMap((ofTenant, nth) =>
    results[nth]?.kind === 'accepted' ? ofTenant.map(({ id }) => ({ id })) : [],
  );
  if (done.length > 0) await remove(client, columns(done, ['id']));
  // Refused events would be refused again: a refusal is a fault of Callout, and must not hold up further events.
  const refused = results.find((result) => result.kind === 'refused');
  if (refused) throw new Error(`an event of a webhook was refused: ${refused.problem.message}`);
  return { eventIds, done: done.length, remaining: rows.length === mostAtOnce ? 1 : rows.length - done.length };
}

/** Of a webhook without a record the first occurrence alone, which gives the record an id: the next round has the rest. */
function takeable(rows: readonly OccurrenceRow[], recordIds: ReadonlyMap<string, number>): OccurrenceRow[] {
  const begun = new Set<string>();
  return rows.filter((row) => {
    const name = nameOf(row);
    if (recordIds.has(name)) return true;
    if (begun.has(name)) return false;
    begun.add(name);
    return true;
  });
}

function nameOf({ tenantId, content }: OccurrenceRow): string {
  return `${tenantId}/${content.webhook.guid}`;
}

function eventOf(
  { id, occurredAt, actorResourceId, content, zoneUrl }: OccurrenceRow,
  recordId: number | null,
  pageOf: WebhookPage,
): IngestEvent {
  const fields = valuesOf(content, pageOf(content.webhook, zoneUrl));
  return {
    entityType: webhookHealthType,
    action: 'Update',
    recordId,
    expects: 'anything',
    personId: actorResourceId ?? noPerson,
    eventTime: occurredAt,
    eventKey: id,
    contentHash: createHash('sha256').update(id).digest(),
    fields,
    udfFields: emptyFieldValues(),
    changed: { fields: changedFieldsOf(fields), udfs: [] },
  };
}
