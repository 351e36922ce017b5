import type { RunSearch } from '../search/search-transaction.ts';
import { SqlValues } from '../search/sql-values.ts';
import type { calloutKinds, CalloutState } from './callout-filter.ts';
import { idNear } from './id-time.ts';

/** A callout as the log shows it. */
export interface LoggedCallout {
  readonly id: string;
  readonly webhookKey: number;
  readonly webhookId: number;
  readonly webhookGuid: string;
  readonly entityType: string;
  readonly recordId: number;
  readonly action: string;
  readonly kind: (typeof calloutKinds)[number];
  readonly state: CalloutState;
  readonly sequenceNumber: number;
  /** As its caller knows it, or, when the event is not kept any more, the service; null: no event caused it. */
  readonly eventId: string | null;
  readonly finishedAt: Date | null;
  readonly attemptsMade: number;
  /** How an open callout stands; null: it has ended. */
  readonly open: OpenCalloutRow | null;
}

export interface OpenCalloutRow {
  readonly dueAt: Date;
  /** Until then the worker that sends it at this moment is waited for; null: nobody sends it. */
  readonly leasedUntil: Date | null;
  readonly isRedelivery: boolean;
  /** Attempts made before it was last redelivered. */
  readonly attemptsBefore: number;
  /** The callout of its record that must end before it; null: none. */
  readonly behindSequence: number | null;
  /** The pause of its receiver; null: there is none, or it does not concern this callout. */
  readonly pause: { readonly until: Date; readonly isProbed: boolean; readonly lastFailure: string | null } | null;
  /** By the clock of the database. */
  readonly now: Date;
}

interface Row extends Omit<LoggedCallout, 'open' | 'attemptsMade'> {
  openAttempts: number | null;
  dueAt: Date | null;
  leasedUntil: Date | null;
  isRedelivery: boolean;
  attemptsBefore: number;
  behindSequence: number | null;
  pausedUntil: Date | null;
  isProbed: boolean;
  lastFailure: string | null;
  now: Date;
}

// Everything by a key: of a page of 500 nothing else is looked at.
const rowsOf = (ids: string): string => `
  SELECT c.id, c.webhook_key AS "webhookKey", w.id AS "webhookId", w.guid AS "webhookGuid", c.entity_type AS "entityType",
    c.record_id AS "recordId", c.action, c.kind, coalesce(o.state, c.state) AS state,
    c.sequence_number AS "sequenceNumber", coalesce(o.event_id, e.event_key, c.event_id::text) AS "eventId",
    c.finished_at AS "finishedAt", o.attempts_made AS "openAttempts", o.due_at AS "dueAt",
    CASE WHEN o.lease_until > now() THEN o.lease_until END AS "leasedUntil", o.is_redelivery AS "isRedelivery",
    o.attempts_before AS "attemptsBefore", ahead.sequence_number AS "behindSequence", h.paused_until AS "pausedUntil",
    h.probe_lease IS NOT NULL AS "isProbed", h.last_failure AS "lastFailure", now() AS now
  FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS n (id, place),
    LATERAL (SELECT * FROM callouts WHERE id = n.id OFFSET 0) AS c,
    LATERAL (SELECT id, guid FROM webhooks WHERE key = c.webhook_key OFFSET 0) AS w
    LEFT JOIN LATERAL (SELECT event_key FROM events WHERE id = c.event_id OFFSET 0) AS e ON true
    LEFT JOIN LATERAL (SELECT * FROM open_callouts WHERE callout_id = c.id OFFSET 0) AS o ON true
    LEFT JOIN LATERAL (
      SELECT sequence_number FROM open_callouts
      WHERE webhook_key = o.webhook_key AND record_id = o.record_id AND sequence_number < o.sequence_number
        AND o.state = 'waiting'
      ORDER BY sequence_number DESC LIMIT 1
    ) AS ahead ON true
    LEFT JOIN LATERAL (
      SELECT paused_until, probe_lease, last_failure FROM webhook_health
      WHERE webhook_key = o.webhook_key AND pauses > 0 AND o.kind = 'event' OFFSET 0
    ) AS h ON true
  ORDER BY n.place`;

/** Clocks of machines differ, so an attempt may seem to be older than its callout. */
const clockSlackMs = 3_600_000;

/** Reads callouts by their ids, in the order given. */
export async function readCallouts(run: RunSearch, ids: readonly string[]): Promise<LoggedCallout[]> {
  if (ids.length === 0) return [];
  const values = new SqlValues();
  const rows = await run<Row>(rowsOf(values.add(ids)), values);
  const ended = rows.filter(({ dueAt }) => dueAt === null).map(({ id }) => id);
  const attempts = await countAttempts(run, ended);
  return rows.map((row) => calloutOf(row, row.openAttempts ?? attempts.get(row.id) ?? 0));
}

/** Attempts are younger than their callout: the partitions of the days before are not looked at. */
async function countAttempts(run: RunSearch, ids: readonly string[]): Promise<Map<string, number>> {
  const oldest = ids.toSorted()[0];
  if (oldest === undefined) return new Map();
  const values = new SqlValues();
  const rows = await run<{ id: string; made: number }>(
    `SELECT n.id, a.made FROM unnest(${values.add(ids)}::uuid[]) AS n (id), LATERAL (
       SELECT max(number) AS made FROM attempts
       WHERE callout_id = n.id AND id >= ${values.add(idNear(oldest, -clockSlackMs))}::uuid
     ) AS a WHERE a.made IS NOT NULL`,
    values,
  );
  return new Map(rows.map(({ id, made }) => [id, made]));
}

function calloutOf({ openAttempts: _made, ...row }: Row, attemptsMade: number): LoggedCallout {
  const { dueAt, leasedUntil, isRedelivery, attemptsBefore, behindSequence, now, ...rest } = row;
  const { pausedUntil, isProbed, lastFailure, ...callout } = rest;
  const pause = pausedUntil && { until: pausedUntil, isProbed, lastFailure };
  const open = dueAt && { dueAt, leasedUntil, isRedelivery, attemptsBefore, behindSequence, pause, now };
  return { ...callout, attemptsMade, open };
}
