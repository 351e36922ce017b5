import { calloutBody, emptyFieldValues } from '@callout/core';
import type { Transaction } from '../connection/database.ts';
import { newId } from '../schema/ids.ts';
import { storeNotices, type Notice } from '../mail/notifications.ts';
import { columns, statement } from '../connection/statement.ts';
import { recordChanges, type HistoryCause, type HistoryEntry } from '../webhooks/webhook-history.ts';

/**
 * Why webhooks are shut: a user set them inactive (`user`) or deleted them; their owner was deactivated or deleted; their
 * receiver failed too often, or answered 410 (`gone`).
 */
export type DeactivationCause = Exclude<HistoryCause, 'receiverDown' | 'receiverAnswered'> | 'deleted';

export interface Deactivation {
  webhookKeys: readonly number[];
  cause: DeactivationCause;
  /** Who did it, as the call tells its receiver; null when it was automatic, or an operator did it. */
  actorResourceId: number | null;
}

/** A webhook as it has just been shut, and the number that its call gets. */
interface ShutWebhook {
  webhookKey: number;
  tenantId: number;
  entityType: string;
  id: number;
  guid: string;
  sequenceNumber: number;
  at: Date;
}

// One that is inactive already stays as it is, unless it is deleted.
const shut = statement<ShutWebhook>(
  'deactivation_shut',
  `UPDATE webhooks SET is_active = false, deleted_at = CASE WHEN $2 THEN now() END, version = version + 1,
     last_sequence = last_sequence + 1, updated_at = now(), is_cancelling = EXISTS (
       SELECT FROM open_callouts o WHERE o.webhook_key = webhooks.key AND o.kind <> 'deactivation')
   WHERE key = ANY($1::bigint[]) AND deleted_at IS NULL AND (is_active OR $2)
   RETURNING key AS "webhookKey", tenant_id AS "tenantId", entity_type AS "entityType", id, guid,
     last_sequence AS "sequenceNumber", now() AS at`,
);

const lockCalls = statement<{ count: number }>(
  'deactivation_lock_calls',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts WHERE webhook_key = ANY($1::bigint[]) AND record_id = -1
     ORDER BY webhook_key, record_id, sequence_number FOR UPDATE
   ) AS locked`,
);

// The key of order is -1: an earlier deactivation call of the webhook that is still being tried goes first, and nothing
// else waits for it. That call is locked, so whoever ends it sees this one.
const storeCalls = statement(
  'deactivation_store_calls',
  `WITH new AS (
     SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
       AS c (id, tenant_id, webhook_key, sequence_number, entity_type, webhook_id, body)
   ), history AS (
     INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
     SELECT id, tenant_id, webhook_key, sequence_number, entity_type, webhook_id, 'Deactivated', 'deactivation' FROM new
   ), bodies AS (
     INSERT INTO callout_bodies (callout_id, body) SELECT id, body FROM new
   )
   INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
     state, due_at)
   SELECT id, tenant_id, webhook_key, entity_type, -1, 'Deactivated', 'deactivation', sequence_number,
     CASE WHEN EXISTS (
       SELECT FROM open_callouts o WHERE o.webhook_key = new.webhook_key AND o.record_id = -1
     ) THEN 'waiting' ELSE 'due' END, now()
   FROM new`,
);

interface Health {
  webhookKey: number;
  failedInRow: number;
  failingSince: Date | null;
  lastFailure: string | null;
}

// Locked in order of the key, like everybody who locks them.
const clearHealth = statement<Health>(
  'deactivation_clear_health',
  `WITH locked AS (
     SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) ORDER BY webhook_key FOR UPDATE
   )
   DELETE FROM webhook_health h USING locked WHERE h.webhook_key = locked.webhook_key
   RETURNING h.webhook_key AS "webhookKey", h.failed_in_row AS "failedInRow",
     h.failing_since AS "failingSince", h.last_failure AS "lastFailure"`,
);

const countOpen = statement<{ webhookKey: number; count: number }>(
  'deactivation_count_open',
  `SELECT webhook_key AS "webhookKey", count(*) FROM open_callouts
   WHERE webhook_key = ANY($1::bigint[]) AND kind <> 'deactivation' GROUP BY webhook_key`,
);

/**
 * Shuts webhooks: they become inactive, and deleted for that cause; nothing more of them is claimed but their deactivation
 * calls, one of which each gets, due now; what happened is kept; its owner is told unless a user did it to the webhook
 * itself. Those that are inactive are passed over, unless they are deleted. Their open callouts, of which there may be
 * millions, are marked to be cancelled: `cancelOpenCallouts` does it once this is committed. The transaction must hold the
 * rows of these webhooks, locked in order of their keys (FOR NO KEY UPDATE). Their health and then their open deactivation
 * calls are locked here: a transaction that holds open callouts already must hold these too.
 * @returns the webhooks whose call is to be made, for waking once the transaction is committed.
 */
export async function deactivateWebhooks(
  transaction: Transaction,
  { webhookKeys, cause, actorResourceId }: Deactivation,
): Promise<{ wokenWebhookKeys: number[] }> {
  if (webhookKeys.length === 0) return { wokenWebhookKeys: [] };
  const webhooks = await shut(transaction, [webhookKeys, cause === 'deleted']);
  const keys = webhooks.map(({ webhookKey }) => webhookKey);
  if (keys.length === 0) return { wokenWebhookKeys: [] };
  // Before the callouts, as settle locks them.
  const health = new Map((await clearHealth(transaction, [keys])).map((row) => [row.webhookKey, row]));
  await lockCalls(transaction, [keys]);
  await storeCalls(transaction, callColumns(webhooks, actorResourceId));
  const open = isTold(cause) ? await countOpen(transaction, [keys]) : [];
  const cancelled = new Map(open.map(({ webhookKey, count }) => [webhookKey, count]));
  const ended = webhooks.map((webhook) => {
    const { failedInRow = 0, failingSince = null, lastFailure = null } = health.get(webhook.webhookKey) ?? {};
    return {
      ...webhook,
      failedInRow,
      failingSince,
      lastFailure,
      cancelledCallouts: cancelled.get(webhook.webhookKey) ?? 0,
    };
  });
  await recordChanges(transaction, historyOf(ended, cause, actorResourceId));
  await storeNotices(transaction, noticesOf(ended, cause));
  return { wokenWebhookKeys: keys };
}

/** A webhook as it was when it was shut. */
interface EndedWebhook extends ShutWebhook {
  failedInRow: number;
  failingSince: Date | null;
  lastFailure: string | null;
  cancelledCallouts: number;
}

function callColumns(webhooks: readonly ShutWebhook[], personId: number | null): unknown[][] {
  const calls = webhooks.map(({ id: webhookId, guid: webhookGuid, at: eventTime, ...webhook }) => ({
    ...webhook,
    id: newId(),
    webhookId,
    body: calloutBody({
      action: 'Deactivated',
      webhookGuid,
      entityType: webhook.entityType,
      recordId: webhookId,
      eventTime,
      sequenceNumber: webhook.sequenceNumber,
      personId,
      fields: emptyFieldValues(),
    }),
  }));
  return columns(calls, ['id', 'tenantId', 'webhookKey', 'sequenceNumber', 'entityType', 'webhookId', 'body']);
}

function historyOf(
  webhooks: readonly EndedWebhook[],
  cause: DeactivationCause,
  actorResourceId: number | null,
): HistoryEntry[] {
  const how =
    cause === 'deleted' ? ({ change: 'deleted', cause: 'user' } as const) : ({ change: 'deactivated', cause } as const);
  const isFailure = cause === 'repeatedFailure' || cause === 'gone';
  return webhooks.map(({ tenantId, webhookKey, lastFailure }) => ({
    tenantId,
    webhookKey,
    ...how,
    actorResourceId,
    detail: isFailure ? lastFailure : null,
  }));
}

/** Who shuts a webhook needs no mail about it. */
function isTold(cause: DeactivationCause): cause is Exclude<DeactivationCause, 'user' | 'deleted'> {
  return cause !== 'user' && cause !== 'deleted';
}

function noticesOf(webhooks: readonly EndedWebhook[], cause: DeactivationCause): Notice[] {
  if (!isTold(cause)) return [];
  return webhooks.map(({ tenantId, webhookKey, sequenceNumber, at, cancelledCallouts, ...health }) => ({
    tenantId,
    webhookKey,
    kind: 'deactivated',
    // The number of its call: each deactivation has one of its own.
    occasion: String(sequenceNumber),
    content: {
      cause,
      at,
      cancelledCallouts,
      failedInRow: health.failedInRow,
      failingSince: health.failingSince,
      lastFailure: health.lastFailure,
    },
  }));
}
