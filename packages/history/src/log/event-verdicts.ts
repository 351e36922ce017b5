import type { VerdictRule } from '@callout/pipeline/match/match.rules';
import type { RunSearch } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { readMerges, type Merge } from './callouts/merge-of.ts';
import type { CalloutState } from '@callout/domain/callout/callout-filter';
import { idNear, lowestId } from '@callout/database/schema/ids';

/** The verdict of one webhook's configuration about an event. */
export interface LoggedVerdict {
  readonly rule: VerdictRule;
  /** The configuration that was judged. */
  readonly version: number;
  readonly webhookKey: number;
  readonly webhookId: number;
  readonly webhookGuid: string;
  readonly webhookName: string;
  /** The configuration now; it rises with every change. */
  readonly presentVersion: number;
  readonly isDeleted: boolean;
  /** Null without a callout, or when the callout was dropped with its day. */
  readonly callout: {
    readonly id: string;
    readonly sequenceNumber: number;
    readonly state: CalloutState;
    /** Null: it was not merged. */
    readonly merge: Merge | null;
  } | null;
}

/** Verdicts as match stores them: rule → the webhooks with the verdict. */
export type StoredVerdicts = Partial<
  Record<VerdictRule, [webhookKey: number, version: number, sequenceNumber?: number][]>
>;

/** When an event was matched; null: it is pending. */
interface MatchedEvent {
  readonly id: string;
  readonly matchedAt: Date | null;
}

interface WebhookRow {
  readonly key: number;
  readonly id: number;
  readonly guid: string;
  readonly name: string;
  readonly version: number;
  readonly isDeleted: boolean;
}

/** The verdicts of an event, in order of the rules, webhooks in their order. */
export async function readVerdicts(
  run: RunSearch,
  event: MatchedEvent,
  stored: StoredVerdicts,
): Promise<LoggedVerdict[]> {
  const entries = (Object.keys(stored) as VerdictRule[]).flatMap((rule) =>
    (stored[rule] ?? []).map(([webhookKey, version, sequence]) => ({ rule, webhookKey, version, sequence })),
  );
  if (entries.length === 0) return [];
  const values = new SqlValues();
  const webhooks = await run<WebhookRow>(
    `SELECT key, id, guid, name, version, deleted_at IS NOT NULL AS "isDeleted" FROM webhooks
     WHERE key = ANY(${values.add(entries.map(({ webhookKey }) => webhookKey))}::bigint[])`,
    values,
  );
  const byKey = new Map(webhooks.map((webhook) => [webhook.key, webhook]));
  const callouts = await readCallouts(
    run,
    event,
    entries.filter(({ rule }) => rule === 'passed'),
  );
  return entries.flatMap(({ rule, webhookKey, version }) => {
    const webhook = byKey.get(webhookKey);
    if (webhook === undefined) return [];
    const { id: webhookId, guid: webhookGuid, name: webhookName, version: presentVersion, isDeleted } = webhook;
    const callout = callouts.get(webhookKey) ?? null;
    return [{ rule, version, webhookKey, webhookId, webhookGuid, webhookName, presentVersion, isDeleted, callout }];
  });
}

/** How many callouts an event made, and their results; callouts that are no longer kept count in `made` alone. */
export interface CalloutCounts {
  readonly made: number;
  readonly open: number;
  readonly delivered: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly merged: number;
}

/** The callouts of these events by the id of the event; absent for events without any. One lookup for each callout. */
export async function countCallouts(
  run: RunSearch,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, CalloutCounts>> {
  const oldest = eventIds.toSorted()[0];
  if (oldest === undefined) return new Map();
  const values = new SqlValues();
  const rows = await run<CalloutCounts & { eventId: string }>(
    `SELECT m.event_id AS "eventId", counted.* FROM event_matches m, LATERAL (
       SELECT count(*) AS made, ${countedStates}
       FROM json_array_elements(m.verdicts->'passed') AS passed LEFT JOIN LATERAL (
         SELECT state FROM callouts WHERE webhook_key = (passed->>0)::bigint AND sequence_number = (passed->>2)::bigint
           AND event_id = m.event_id AND id >= ${values.add(idNear(oldest, -clockSlackMs))}::uuid OFFSET 0
       ) AS c ON true
     ) AS counted WHERE m.event_id = ANY(${values.add(eventIds)}::uuid[])`,
    values,
  );
  return new Map(rows.map(({ eventId, ...counts }) => [eventId, counts]));
}

const countedStates = (['open', 'delivered', 'failed', 'cancelled', 'merged'] as const)
  .map((state) => `count(*) FILTER (WHERE c.state = '${state}') AS ${state}`)
  .join(', ');

type EventCallout = NonNullable<LoggedVerdict['callout']>;

const clockSlackMs = 3_600_000;

/**
 * The callouts of an event, by the key of their webhook. Verdicts of earlier versions lack the number: then the
 * webhook's callouts of about the time of the match are searched.
 */
async function readCallouts(
  run: RunSearch,
  event: MatchedEvent,
  entries: readonly { readonly webhookKey: number; readonly sequence: number | undefined }[],
): Promise<Map<number, EventCallout>> {
  if (entries.length === 0) return new Map();
  const values = new SqlValues();
  const columns = [entries.map((one) => one.webhookKey), entries.map((one) => one.sequence ?? null)];
  const matchedId = event.matchedAt === null ? event.id : lowestId(event.matchedAt);
  const [keys, numbers] = columns.map((column) => `${values.add(column)}::bigint[]`);
  const ofEvent = `event_id = ${values.add(event.id)}::uuid AND id >= ${values.add(idNear(event.id, -clockSlackMs))}::uuid`;
  const rows = await run<Omit<EventCallout, 'merge'> & { webhookKey: number }>(
    `SELECT c.webhook_key AS "webhookKey", c.id, c.sequence_number AS "sequenceNumber",
       coalesce(o.state, c.state) AS state
     FROM unnest(${keys}, ${numbers}) AS k (webhook_key, number), LATERAL (
       (SELECT * FROM callouts WHERE webhook_key = k.webhook_key AND sequence_number = k.number AND ${ofEvent})
       UNION ALL
       (SELECT * FROM callouts WHERE k.number IS NULL AND webhook_key = k.webhook_key AND ${ofEvent}
          AND id < ${values.add(idNear(matchedId, clockSlackMs))}::uuid)
     ) AS c LEFT JOIN LATERAL (SELECT state FROM open_callouts WHERE callout_id = c.id OFFSET 0) AS o ON true`,
    values,
  );
  const merges = await readMerges(run, rows);
  return new Map(
    rows.map(({ webhookKey, ...callout }) => [webhookKey, { ...callout, merge: merges.get(callout.id) ?? null }]),
  );
}
