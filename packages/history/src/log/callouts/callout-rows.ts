import type { CalloutAction } from '@callout/domain/event';
import { describeAnswer } from '@callout/domain/outcome/answers';
import type { AttemptFailureReason } from '@callout/domain/outcome/outcome';
import type { OpenCalloutStatus } from '../waits-for.rules.ts';
import type { RunSearch } from '../../search/search-transaction.ts';
import { secretKeyIds } from '../webhook-status.ts';
import { SqlValues } from '../../sql-values.ts';
import { readMerges, type Merge } from './merge-of.ts';
import type { calloutKinds, CalloutState } from '@callout/domain/callout/callout-filter';
import { idNear } from '@callout/database/schema/ids';

/** A callout as the log shows it. */
export interface LoggedCallout {
  readonly id: string;
  readonly webhookKey: number;
  readonly webhookId: number;
  readonly webhookGuid: string;
  /** Also of a deleted webhook. */
  readonly webhookName: string;
  readonly entityType: string;
  readonly recordId: number;
  readonly action: CalloutAction;
  readonly kind: (typeof calloutKinds)[number];
  readonly state: CalloutState;
  readonly sequenceNumber: number;
  /**
   * The eventID of the caller, or an id of the service when the event has been deleted; null: no event caused the
   * callout.
   */
  readonly eventId: string | null;
  readonly finishedAt: Date | null;
  readonly attemptsMade: number;
  /** Null: none was made. */
  readonly lastAttempt: LastAttempt | null;
  /** The details of an open callout; null: it has ended. */
  readonly open: OpenCalloutRow | null;
  /** Null: it was not merged. */
  readonly merge: Merge | null;
  /** Made on request, for an event that came while the webhook was inactive. */
  readonly isReplayed: boolean;
}

/** The result of the last attempt. */
export interface LastAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null: no response came. */
  readonly status: number | null;
  readonly failureReason: AttemptFailureReason | null;
  /** Why no response came, as a sentence. */
  readonly failure: string | null;
  /** Headers of the response that explain the status. */
  readonly location: string | null;
  readonly retryAfter: string | null;
}

export interface OpenCalloutRow extends OpenCalloutStatus {
  readonly isRedelivery: boolean;
}

interface Row extends Omit<LoggedCallout, 'open' | 'attemptsMade' | 'lastAttempt' | 'eventId' | 'merge'> {
  /** Of an open callout: the eventID of the caller. */
  openEventId: string | null;
  /** As the service knows it. */
  serviceEventId: string | null;
  openAttempts: number | null;
  dueAt: Date | null;
  leasedUntil: Date | null;
  isRedelivery: boolean;
  isDeactivated: boolean;
  isPulled: boolean;
  secretKeyIds: string[];
  attemptsBefore: number;
  /** Of a waiting callout: the first open callout of the record. */
  firstId: string | null;
  pausedUntil: Date | null;
  isProbed: boolean;
  probeAt: Date | null;
  lastFailure: string | null;
  now: Date;
  perSecond: number | null;
  atOnce: number | null;
  nextCallAt: Date | null;
  underWay: number;
}

/**
 * Everything by a key: for a page of 500 nothing else is read. The bounds of the ids are repeated for the planner: a
 * statement costs more with each day that may have to be read, even without rows.
 */
const rowsOf = (ids: string, first: string, last: string): string => `
  SELECT c.id, c.webhook_key AS "webhookKey", w.id AS "webhookId", w.guid AS "webhookGuid", w.name AS "webhookName", c.entity_type AS "entityType",
    c.record_id AS "recordId", c.action, c.kind, coalesce(o.state, c.state) AS state,
    c.sequence_number AS "sequenceNumber", o.event_id AS "openEventId", c.event_id AS "serviceEventId",
    c.is_replayed AS "isReplayed",
    c.finished_at AS "finishedAt", o.attempts_made AS "openAttempts", o.due_at AS "dueAt",
    CASE WHEN o.lease_until > now() THEN o.lease_until END AS "leasedUntil", o.is_redelivery AS "isRedelivery",
    NOT w.is_active AND o.kind <> 'deactivation' AS "isDeactivated", w.secret_key_ids AS "secretKeyIds",
    coalesce(CASE o.kind WHEN 'deactivation' THEN w.deactivation_mode ELSE w.delivery_mode END = 'pull', false) AS "isPulled",
    o.attempts_before AS "attemptsBefore", ahead.callout_id AS "firstId", h.paused_until AS "pausedUntil",
    h.probe_lease IS NOT NULL AS "isProbed", h.probe_at AS "probeAt", h.last_failure AS "lastFailure", now() AS now,
    CASE WHEN o.kind = 'event' THEN w.max_calls_per_second END AS "perSecond",
    CASE WHEN o.kind = 'event' THEN w.max_concurrent_calls END AS "atOnce",
    CASE WHEN w.max_calls_per_second IS NOT NULL THEN (
      SELECT next_call_at FROM webhook_rates WHERE webhook_key = c.webhook_key) END AS "nextCallAt",
    CASE WHEN o.state = 'due' AND w.max_concurrent_calls IS NOT NULL THEN limited_calls_under_way(c.webhook_key)
      ELSE 0 END AS "underWay"
  FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS n (id, place),
    LATERAL (SELECT * FROM callouts WHERE id = n.id AND id BETWEEN ${first}::uuid AND ${last}::uuid OFFSET 0) AS c,
    LATERAL (
      SELECT id, guid, name, is_active, delivery_mode, deactivation_mode, max_calls_per_second, max_concurrent_calls, ${secretKeyIds} AS secret_key_ids
      FROM webhooks w WHERE key = c.webhook_key OFFSET 0
    ) AS w
    LEFT JOIN LATERAL (SELECT * FROM open_callouts WHERE callout_id = c.id OFFSET 0) AS o ON true
    LEFT JOIN LATERAL (
      (SELECT callout_id FROM open_callouts
       WHERE webhook_key = o.webhook_key AND record_id = o.record_id AND sequence_number < o.sequence_number
         AND o.state = 'waiting'
       ORDER BY sequence_number LIMIT 1)
      UNION ALL
      -- One that was redelivered waits for a later callout of its record that is under way.
      (SELECT callout_id FROM open_callouts
       WHERE webhook_key = o.webhook_key AND record_id = o.record_id AND sequence_number > o.sequence_number
         AND o.state = 'waiting' AND state <> 'waiting'
       ORDER BY sequence_number LIMIT 1)
      LIMIT 1
    ) AS ahead ON true
    LEFT JOIN LATERAL (
      SELECT CASE WHEN pauses > 0 THEN paused_until END AS paused_until, probe_lease, probe_at, last_failure
      FROM webhook_health WHERE webhook_key = o.webhook_key AND o.kind = 'event' OFFSET 0
    ) AS h ON true
  ORDER BY n.place`;

/** Clocks of machines differ: an attempt may seem to be older than its callout. */
const clockSlackMs = 3_600_000;

/** Reads callouts by id, in the given order, each waiting callout with the first open callout of its record. */
export async function readCallouts(run: RunSearch, ids: readonly string[]): Promise<LoggedCallout[]> {
  const callouts = await readPlain(run, ids);
  const firstIds = [...new Set(callouts.flatMap(({ firstId }) => firstId ?? []))];
  const firsts = new Map((await readPlain(run, firstIds)).map((one) => [one.id, one]));
  return callouts.map(({ firstId, ...callout }) => {
    const first = firsts.get(firstId ?? '');
    if (first === undefined || callout.open === null) return callout;
    const failure = first.lastAttempt && failureText(first.lastAttempt);
    return { ...callout, open: { ...callout.open, first: { ...first, failure } } };
  });
}

function failureText({ status, failure, location, retryAfter }: LastAttempt): string | null {
  if (status === null) return failure;
  return describeAnswer(status, { ...(location && { location }), ...(retryAfter && { 'retry-after': retryAfter }) });
}

async function readPlain(run: RunSearch, ids: readonly string[]): Promise<(LoggedCallout & Pick<Row, 'firstId'>)[]> {
  const bounds = boundsOf(ids);
  if (bounds === null) return [];
  const values = new SqlValues();
  const rows = await run<Row>(rowsOf(values.add(ids), values.add(bounds.first), values.add(bounds.last)), values);
  const attempts = await readLastAttempts(
    run,
    rows.flatMap(({ id, openAttempts }) => (openAttempts === 0 ? [] : id)),
  );
  const keys = await readEventKeys(
    run,
    rows.flatMap(({ openEventId, serviceEventId }) => (openEventId === null ? (serviceEventId ?? []) : [])),
  );
  const merges = await readMerges(run, rows);
  return rows.map((row) => {
    const { openEventId, serviceEventId } = row;
    const eventId = openEventId ?? keys.get(serviceEventId ?? '') ?? serviceEventId;
    return { ...calloutOf(row, eventId, attempts.get(row.id) ?? null), merge: merges.get(row.id) ?? null };
  });
}

/** Null when there are none. */
function boundsOf(ids: readonly string[]): { readonly first: string; readonly last: string } | null {
  const sorted = ids.toSorted();
  const [first, last] = [sorted.at(0), sorted.at(-1)];
  return first === undefined || last === undefined ? null : { first, last };
}

/** The callers' ids of events; without deleted events and events that have no caller's id. */
async function readEventKeys(run: RunSearch, ids: readonly string[]): Promise<Map<string, string>> {
  const bounds = boundsOf(ids);
  if (bounds === null) return new Map();
  const values = new SqlValues();
  const rows = await run<{ id: string; key: string }>(
    `SELECT n.id, e.event_key AS key FROM unnest(${values.add(ids)}::uuid[]) AS n (id), LATERAL (
       SELECT event_key FROM events
       WHERE id = n.id AND id BETWEEN ${values.add(bounds.first)}::uuid AND ${values.add(bounds.last)}::uuid OFFSET 0
     ) AS e WHERE e.event_key IS NOT NULL`,
    values,
  );
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** Attempts are younger than their callout: the partitions of the days before are not looked at. */
async function readLastAttempts(run: RunSearch, ids: readonly string[]): Promise<Map<string, LastAttempt>> {
  const oldest = boundsOf(ids)?.first;
  if (oldest === undefined) return new Map();
  const values = new SqlValues();
  const rows = await run<LastAttempt & { id: string }>(
    `SELECT n.id, a.number, a.started_at AS "startedAt", a.duration_ms AS "durationMs", a.status,
       a.failure_reason AS "failureReason", a.failure, a.response_headers ->> 'location' AS location,
       a.response_headers ->> 'retry-after' AS "retryAfter"
     FROM unnest(${values.add(ids)}::uuid[]) AS n (id), LATERAL (
       SELECT number, started_at, duration_ms, status, failure_reason, failure, response_headers FROM attempts
       WHERE callout_id = n.id AND id >= ${values.add(idNear(oldest, -clockSlackMs))}::uuid
       ORDER BY number DESC LIMIT 1
     ) AS a`,
    values,
  );
  return new Map(rows.map(({ id, ...attempt }) => [id, attempt]));
}

function calloutOf(
  { openAttempts, openEventId: _open, serviceEventId: _stored, ...row }: Row,
  eventId: string | null,
  lastAttempt: LastAttempt | null,
): Omit<LoggedCallout, 'merge'> & Pick<Row, 'firstId'> {
  const { dueAt, leasedUntil, isRedelivery, isDeactivated, isPulled, secretKeyIds, attemptsBefore, now, ...rest } = row;
  const { pausedUntil, isProbed, probeAt, lastFailure, perSecond, atOnce, nextCallAt, underWay, ...callout } = rest;
  const limits = {
    rate: perSecond !== null && nextCallAt !== null ? { perSecond, nextCallAt } : null,
    places: atOnce === null ? null : { most: atOnce, underWay },
  };
  const pause = pausedUntil && { until: pausedUntil, isProbed, lastFailure };
  const details = {
    dueAt,
    leasedUntil,
    isRedelivery,
    isDeactivated,
    isPulled,
    secretKeyIds,
    attemptsBefore,
    first: null,
    pause,
    probeAt,
    limits,
    now,
  };
  const openRow = dueAt && { ...details, dueAt };
  // An attempt of an open callout may have been dropped together with its day.
  const attemptsMade = openAttempts ?? lastAttempt?.number ?? 0;
  return { ...callout, eventId, attemptsMade, lastAttempt, open: openRow };
}
