import type { WebhookStatus } from './webhook-status.rules.ts';
import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';

/** The row of a webhook's status. */
export interface StatusRow extends Omit<WebhookStatus, 'deactivation' | 'failing'> {
  readonly deactivatedAt: Date | null;
  readonly cause: string;
  readonly detail: string | null;
  readonly failingSince: Date | null;
  readonly failed: number;
  readonly lastFailure: string | null;
  readonly pausedUntil: Date | null;
  readonly firstDueAt: Date | null;
  readonly isProbed: boolean;
  readonly isUnfetched: boolean;
}

/** Reads the status of a webhook; undefined: there is none. */
export function readWebhookStatus(
  search: SearchDeps,
  tenantId: number,
  entityType: string,
  id: number,
): Promise<WebhookStatus | undefined> {
  return inSearch(search, tenantId, async (run) => {
    const [row] = await run<StatusRow>(
      `SELECT ${statusColumns} FROM ${statusSources}
       WHERE (w.tenant_id, w.entity_type, w.id) = ($1, $2, $3) AND w.deleted_at IS NULL`,
      new SqlValues([tenantId, entityType, id]),
    );
    return row && statusOf(row);
  });
}

/**
 * As SQL over a row `w` of `webhooks`: the ids of the keys that encrypt the secrets of the webhook and the private keys
 * that sign, also from before a rotation while they sign too. Empty without a secret, as for a webhook that was deleted
 * long ago.
 */
export const secretKeyIds = `array_remove(ARRAY[w.secret_key_id,
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_key_id ELSE '' END,
  coalesce(w.receiver_key_id, '')], '')
  || CASE WHEN w.signature_kind <> 'hmac' AND w.secret_key_id <> '' THEN ARRAY(
    SELECT key_id FROM signing_keys WHERE tenant_id = w.tenant_id
    UNION SELECT previous_key_id FROM signing_keys WHERE tenant_id = w.tenant_id AND previous_until > now()) END`;

/** SQL: the columns of a `StatusRow`, of `statusSources`. */
export const statusColumns = `w.id, w.guid, w.entity_type AS "entityType", w.is_active AS "isActive",
           EXISTS (SELECT FROM resources r WHERE (r.tenant_id, r.id) = (w.tenant_id, w.owner_resource_id)
             AND r.is_active AND r.deleted_at IS NULL) AS "isOwnerActive",
           ${secretKeyIds} AS "secretKeyIds", w.certificate_expires_at AS "certificateExpiresAt",
           w.is_subscribed_to_create_events AS "onCreate", w.is_subscribed_to_update_events AS "onUpdate",
           w.is_subscribed_to_delete_events AS "onDelete",
           w.condition, f.records + u.records AS "fieldRecords", f.subscribed + u.subscribed AS "subscribedFields",
           d.at AS "deactivatedAt", d.cause, d.detail,
           coalesce(h.failing_since, h.paused_until) AS "failingSince", h.failed_in_row AS "failed",
           h.last_failure AS "lastFailure", CASE WHEN h.pauses > 0 THEN h.paused_until END AS "pausedUntil",
           CASE WHEN h.webhook_key IS NOT NULL AND w.delivery_mode = 'push' THEN (SELECT least(o.due_at, h.probe_at) FROM open_callouts o
             WHERE o.webhook_key = w.key AND o.state = 'due' AND o.kind = 'event' ORDER BY o.due_at LIMIT 1
           ) END AS "firstDueAt",
           coalesce(h.probe_lease IS NOT NULL AND h.paused_until > now(), false) AS "isProbed", now() AS now,
           coalesce(h.is_unfetched AND w.delivery_mode = 'pull', false) AS "isUnfetched",
           (SELECT count(*) FROM open_callouts o WHERE o.webhook_key = w.key AND o.state = 'held') AS held`;

/** SQL: webhooks `w` with everything that their status depends on. */
export const statusSources = `webhooks w,
           LATERAL (SELECT count(*) AS records, count(*) FILTER (WHERE is_subscribed_field) AS subscribed
             FROM webhook_fields WHERE webhook_key = w.key) AS f,
           LATERAL (SELECT count(*) AS records, count(*) FILTER (WHERE is_subscribed_field) AS subscribed
             FROM webhook_udf_fields WHERE webhook_key = w.key) AS u
           LEFT JOIN LATERAL (SELECT * FROM webhook_health WHERE webhook_key = w.key) AS h ON true
           LEFT JOIN LATERAL (SELECT at, cause, detail FROM changes
             WHERE webhook_key = w.key AND action = 'deactivated' ORDER BY id DESC LIMIT 1) AS d ON true`;

/** The status in a row. */
export function statusOf(row: StatusRow): WebhookStatus {
  const { deactivatedAt, cause, detail, failingSince, failed, lastFailure, ...rest } = row;
  const { pausedUntil, firstDueAt, isProbed, isUnfetched, ...status } = rest;
  return {
    ...status,
    deactivation: deactivatedAt && { at: deactivatedAt, cause, detail },
    failing: failingSince && {
      since: failingSince,
      failed,
      last: lastFailure,
      pausedUntil,
      firstDueAt,
      isProbed,
      isUnfetched,
    },
  };
}
