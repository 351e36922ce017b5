import type { ChildKind, ChildScope } from '@callout/webhooks/child-tables';
import type { ErrorLogScope } from './error-logs.ts';
import type { SearchableColumn, SearchableTable, TenantScope } from './searchable-table.ts';

/** The rows of one entity of a tenant. */
export interface EntityScope {
  readonly tenantId: number;
  readonly entityType: string;
}

const text = (sql: string): SearchableColumn => ({ sql, type: 'text' });
const foldedText = (sql: string): SearchableColumn => ({ sql, type: 'text', isFolded: true });
const number = (sql: string): SearchableColumn => ({ sql, type: 'bigint' });
const boolean = (sql: string): SearchableColumn => ({ sql, type: 'boolean' });
const instant = (sql: string): SearchableColumn => ({ sql, type: 'timestamptz' });

/** Webhooks; the secret is not among the columns. `isReady` is the rule of `isReady` in core. */
export const webhookTable: SearchableTable<EntityScope> = {
  from: 'webhooks w',
  rowsOf: ({ tenantId, entityType }, values) =>
    `w.tenant_id = ${values.add(tenantId)} AND w.entity_type = ${values.add(entityType)} AND w.deleted_at IS NULL`,
  columns: {
    id: number('w.id'),
    webhookGUID: foldedText('w.guid::text'),
    name: text('w.name'),
    webhookUrl: text('w.webhook_url'),
    deactivationUrl: text('w.deactivation_url'),
    isActive: boolean('w.is_active'),
    isReady: boolean(`(EXISTS (SELECT FROM webhook_fields f WHERE f.webhook_key = w.key)
      OR EXISTS (SELECT FROM webhook_udf_fields f WHERE f.webhook_key = w.key)
      OR (w.is_subscribed_to_delete_events
        AND NOT w.is_subscribed_to_create_events AND NOT w.is_subscribed_to_update_events))`),
    isSubscribedToCreateEvents: boolean('w.is_subscribed_to_create_events'),
    isSubscribedToUpdateEvents: boolean('w.is_subscribed_to_update_events'),
    isSubscribedToDeleteEvents: boolean('w.is_subscribed_to_delete_events'),
    notificationEmailAddress: text('w.notification_email_address'),
    ownerResourceID: number('w.owner_resource_id'),
    sendThresholdExceededNotification: boolean('w.send_threshold_exceeded_notification'),
    includePreviousValues: boolean('w.include_previous_values'),
    payloadFormat: text('w.payload_format'),
    mergeWhileWaiting: boolean('w.merge_while_waiting'),
    // As text, for the application to compare: no other table has a number of this kind.
    maxCallsPerSecond: text('w.max_calls_per_second::text'),
    maxConcurrentCalls: number('w.max_concurrent_calls'),
    signatureKind: text('w.signature_kind'),
  },
  // JSON, for reading only.
  furtherFields: `jsonb_build_object('condition', w.condition, 'requestHeaders', w.request_headers,
    'receiverAuth', w.receiver_auth, 'caCertificate', w.ca_certificate)`,
};

/** The same of webhooks on `WebhookHealth`, which have an alertFormat. */
export const healthWebhookTable: typeof webhookTable = {
  ...webhookTable,
  columns: { ...webhookTable.columns, alertFormat: text('w.alert_format') },
};

const flags = {
  isSubscribedField: boolean('c.is_subscribed_field'),
  isDisplayAlwaysField: boolean('c.is_display_always_field'),
};

/** The children of webhooks, by kind. */
export const childTablesToSearch: Readonly<Record<ChildKind, SearchableTable<ChildScope>>> = {
  fields: childTable('webhook_fields', { fieldID: number('c.field_id'), ...flags }),
  udfFields: childTable('webhook_udf_fields', { udfFieldID: number('c.udf_field_id'), ...flags }),
  excludedResources: childTable('webhook_excluded_resources', { resourceID: number('c.resource_id') }),
};

function childTable(name: string, columns: Readonly<Record<string, SearchableColumn>>): SearchableTable<ChildScope> {
  return {
    from: `${name} c JOIN webhooks w ON w.key = c.webhook_key`,
    rowsOf: ({ tenantId, entityType, webhookId }, values) => {
      const ofEntity = `c.tenant_id = ${values.add(tenantId)} AND c.entity_type = ${values.add(entityType)}`;
      const parent = webhookId === undefined ? '' : ` AND w.id = ${values.add(webhookId)}`;
      return `${ofEntity} AND w.deleted_at IS NULL${parent}`;
    },
    columns: { id: number('c.id'), webhookID: number('w.id'), ...columns },
  };
}

/** Resources. Fields of the catalogue without a column are in one value. */
export const resourceTable: SearchableTable<TenantScope> = {
  from: 'resources r',
  rowsOf: ({ tenantId }, values) => `r.tenant_id = ${values.add(tenantId)} AND r.deleted_at IS NULL`,
  columns: { id: number('r.id'), email: text('r.email'), isActive: boolean('r.is_active') },
  furtherFields: 'r.fields',
};

/** Definitions of user-defined fields. `listValues` is JSON, for reading only. */
export const udfDefinitionTable: SearchableTable<TenantScope> = {
  from: 'udf_definitions u',
  rowsOf: ({ tenantId }, values) => `u.tenant_id = ${values.add(tenantId)}`,
  columns: {
    id: number('u.id'),
    entityType: text('u.entity_type'),
    name: text('u.name'),
    label: text('u.label'),
    dataType: foldedText('u.data_type'),
    listValues: text('u.list_values::text'),
  },
};

/** Error logs. */
export const errorLogTable: SearchableTable<ErrorLogScope> = {
  from: 'webhook_event_error_logs l',
  rowsOf: ({ tenantId, ownerResourceId }, values) => {
    const owned = ownerResourceId === null ? '' : ` AND l.owner_resource_id = ${values.add(ownerResourceId)}`;
    return `l.tenant_id = ${values.add(tenantId)}${owned}`;
  },
  columns: {
    id: number('l.id'),
    webhookID: number('l.webhook_id'),
    webhookGUID: foldedText('l.webhook_guid::text'),
    entityType: text('l.entity_type'),
    sequenceNumber: number('l.sequence_number'),
    createDateTime: instant('l.created_at'),
    errorMessage: text('l.error_message'),
    payload: text('l.payload'),
    // As errorLogWebhookKey in core has it.
    accountWebhookID: number("CASE l.entity_type WHEN 'Account' THEN l.webhook_id END"),
    contactWebhookID: number("CASE l.entity_type WHEN 'Contact' THEN l.webhook_id END"),
  },
};
