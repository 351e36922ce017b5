import type { CalloutOfAttempt } from '@callout/pipeline/deliver/sign.rules';
import { columnOf, isJson } from '@callout/webhooks/settings/setting';
import { settings } from '@callout/webhooks/settings/settings';

/** One kind of lines: a query that makes the JSON, of tenant $1. */
export interface ExportQuery {
  readonly kind: string;
  readonly query: string;
}

/** A row of a query. */
export interface ExportRow {
  /**
   * The JSON, but for the body of a callout and the request headers of an attempt, which are made when the line is
   * read.
   */
  readonly line: string;
  /** The tables behind them. */
  readonly callout?: CalloutOfAttempt;
  readonly number?: number;
  readonly startedAt?: Date;
  readonly storedHeaders?: Readonly<Record<string, string>>;
}

/** Rows become JSON in PostgreSQL, so numbers and documents keep their text. */
const lines = (kind: string, columns: string, from: string, furtherColumns = ''): ExportQuery => ({
  kind,
  query: `SELECT (SELECT row_to_json(t) FROM (SELECT '${kind}' AS kind, ${columns}) AS t)::text AS line ${furtherColumns} FROM ${from}`,
});

/** All settings but secrets, with JSON as JSON. */
const settingColumns = settings.flatMap((setting) => {
  const column = columnOf(setting);
  return column === null ? [] : [`w.${column}${isJson(setting) ? '::json' : ''} AS "${setting.key}"`];
});

const webhookColumns = `w.entity_type AS "entityType", w.id, w.guid AS "webhookGUID", ${settingColumns.join(', ')},
  w.owner_resource_id AS "ownerResourceID",
  w.last_sequence AS "lastSequenceNumber", w.created_at AS "createDateTime", w.deleted_at AS "deletedDateTime"`;

/** The records of a kind in a webhook, as one value. */
const children = (columns: string, table: string): string =>
  `(SELECT coalesce(json_agg(row_to_json(c) ORDER BY c.id), '[]') FROM (
     SELECT ${columns} FROM ${table} WHERE webhook_key = w.key) AS c)`;

const subscribed = 'is_subscribed_field AS "isSubscribedField", is_display_always_field AS "isDisplayAlwaysField"';

/** Everything of a tenant, in the order of the file: rows come before the rows that refer to them. */
export const exportQueries: readonly ExportQuery[] = [
  lines(
    'tenant',
    `t.id, t.name, t.zone_id AS "zoneID", t.callout_threshold AS "calloutThreshold",
     t.api_requests_per_hour AS "apiRequestsPerHour", t.created_at AS "createDateTime"`,
    'tenants t WHERE t.id = $1',
  ),
  lines(
    'zone',
    'z.id, z.name, z.url, z.web_url AS "webUrl", z.is_default AS "isDefault"',
    'zones z JOIN tenants t ON t.zone_id = z.id WHERE t.id = $1',
  ),
  lines(
    'resource',
    `id, email, is_active AS "isActive", can_create_webhooks AS "canCreateWebhooks", fields,
     deleted_at AS "deletedDateTime"`,
    'resources WHERE tenant_id = $1 ORDER BY id',
  ),
  lines(
    'credential',
    `id, resource_id AS "resourceID", user_name AS "userName", role, secret_scrypt IS NOT NULL AS "isSecretImported",
     created_at AS "createDateTime", revoked_at AS "revokeDateTime"`,
    'credentials WHERE tenant_id = $1 ORDER BY id',
  ),
  lines(
    'userDefinedField',
    'id, entity_type AS "entityType", name, label, data_type AS "dataType", list_values AS "listValues"',
    'udf_definitions WHERE tenant_id = $1 ORDER BY id',
  ),
  lines(
    'record',
    `entity_type AS "entityType", id, version, fields, udf_fields AS "userDefinedFields",
     deleted_at AS "deletedDateTime"`,
    'records WHERE tenant_id = $1 ORDER BY entity_type, id',
  ),
  lines(
    'signingKey',
    `id, 'whpk_' || encode(public_key, 'base64') AS "signingPublicKey", created_at AS "createDateTime",
     'whpk_' || encode(previous_public_key, 'base64') AS "previousSigningPublicKey",
     previous_created_at AS "previousCreateDateTime", previous_until AS "previousEndDateTime"`,
    'signing_keys WHERE tenant_id = $1',
  ),
  {
    kind: 'webhook',
    query: `SELECT row_to_json(t)::text AS line FROM (
      SELECT 'webhook' AS kind, ${webhookColumns},
        ${children(`id, field_id AS "fieldID", ${subscribed}`, 'webhook_fields')} AS fields,
        ${children(`id, udf_field_id AS "udfFieldID", ${subscribed}`, 'webhook_udf_fields')} AS "udfFields",
        ${children('id, resource_id AS "resourceID"', 'webhook_excluded_resources')} AS "excludedResources"
      FROM webhooks w WHERE w.tenant_id = $1 ORDER BY w.key
    ) AS t`,
  },
  lines(
    'change',
    `c.id, c.at AS "changedAt", json_build_object('kind', c.actor_kind, 'resourceID', c.actor_resource_id,
       'userName', c.actor_user_name) AS "changedBy", c.entity, coalesce(c.entity_id, w.id) AS "entityID",
     w.guid AS "webhookGUID", c.action, c.cause, c.fields, c.detail`,
    'changes c LEFT JOIN webhooks w ON w.key = c.webhook_key WHERE c.tenant_id = $1',
  ),
  lines(
    'event',
    `id, coalesce(event_key, id::text) AS "eventID", entity_type AS "entityType", record_id AS "recordID",
     record_version AS "recordVersion", action, person_id AS "personID", event_time AS "eventDateTime",
     accepted_at AS "acceptedDateTime", changed_fields AS "changedFields",
     changed_udfs AS "changedUserDefinedFields", previous AS "previousValues", fields, udf_fields AS "userDefinedFields"`,
    'events WHERE tenant_id = $1',
  ),
  lines(
    'callout',
    `c.id, w.guid AS "webhookGUID", c.sequence_number AS "sequenceNumber", c.event_id AS event,
     c.entity_type AS "entityType", c.record_id AS "recordID", c.action, c.kind AS "calloutKind", coalesce(o.state, c.state) AS state,
     c.finished_at AS "finishedDateTime"`,
    // OFFSET 0: by the key, one after another; the planner might sort or hash whole tables instead.
    `webhooks w JOIN callouts c ON c.webhook_key = w.key
     LEFT JOIN LATERAL (SELECT state FROM open_callouts WHERE callout_id = c.id OFFSET 0) AS o ON true
     WHERE w.tenant_id = $1`,
    `, json_build_object('id', c.id) AS callout`,
  ),
  lines(
    'attempt',
    `a.callout_id AS "calloutID", w.guid AS "webhookGUID", a.number, a.started_at AS "startDateTime",
     a.duration_ms AS "durationMs", a.url, a.status,
     a.response_headers AS "responseHeaders",
     translate(encode(a.response_body, 'base64'), E'\\n', '') AS "responseBodyBase64",
     a.failure_reason AS "failureReason", a.failure, a.next_attempt_at AS "nextAttemptDateTime"`,
    `attempts a JOIN webhooks w ON w.key = a.webhook_key, LATERAL (
       SELECT * FROM callouts WHERE id = a.callout_id OFFSET 0
     ) AS c LEFT JOIN LATERAL (SELECT event_key FROM events WHERE id = c.event_id OFFSET 0) AS e ON true
     WHERE a.tenant_id = $1`,
    `, json_build_object('id', c.id, 'kind', c.kind, 'action', c.action, 'eventId', coalesce(e.event_key, c.event_id::text))
       AS callout, a.number, a.started_at AS "startedAt", a.request_headers AS "storedHeaders"`,
  ),
  lines(
    'errorLog',
    `id, entity_type AS "entityType", webhook_id AS "webhookID", webhook_guid AS "webhookGUID",
     owner_resource_id AS "ownerResourceID", sequence_number AS "sequenceNumber", created_at AS "createDateTime",
     error_message AS "errorMessage", payload`,
    'webhook_event_error_logs WHERE tenant_id = $1 ORDER BY id',
  ),
];
