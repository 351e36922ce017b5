import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { columnOf, isJson, type Setting } from '@callout/webhooks/settings/setting';
import { settings, settingsOf } from '@callout/webhooks/settings/settings';
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

/** The columns of settings that filters can name. A fraction is text, so that the application compares the number. */
function settingColumns(entityType: string): Readonly<Record<string, SearchableColumn>> {
  const columns = settingsOf(entityType).flatMap((setting) => {
    const { key, type } = setting;
    const sql = `w.${columnOf(setting)}`;
    if (columnOf(setting) === null || isReadOnlyJson(setting)) return [];
    if (type.kind === 'boolean' || type.kind === 'flag') return [[key, boolean(sql)] as const];
    if (type.kind === 'limit') return [[key, type.isWhole ? number(sql) : text(`${sql}::text`)] as const];
    return [[key, text(sql)] as const];
  });
  return Object.fromEntries(columns);
}

/** Whether the values are long, and for reading only. */
const isReadOnlyJson = (setting: Setting): boolean => isJson(setting) || setting.type.kind === 'authorities';

const readOnlySettings = settings
  .filter(isReadOnlyJson)
  .map((setting) => `'${setting.key}', w.${columnOf(setting)}`)
  .join(', ');

function webhookTableOf(entityType: string): SearchableTable<EntityScope> {
  return {
    from: 'webhooks w',
    rowsOf: ({ tenantId, entityType: watched }, values) =>
      `w.tenant_id = ${values.add(tenantId)} AND w.entity_type = ${values.add(watched)} AND w.deleted_at IS NULL`,
    columns: {
      id: number('w.id'),
      webhookGUID: foldedText('w.guid::text'),
      // The rule of `isReady` in the match stage.
      isReady: boolean(`(EXISTS (SELECT FROM webhook_fields f WHERE f.webhook_key = w.key)
      OR EXISTS (SELECT FROM webhook_udf_fields f WHERE f.webhook_key = w.key)
      OR (w.is_subscribed_to_delete_events
        AND NOT w.is_subscribed_to_create_events AND NOT w.is_subscribed_to_update_events))`),
      ownerResourceID: number('w.owner_resource_id'),
      ...settingColumns(entityType),
    },
    furtherFields: `jsonb_build_object(${readOnlySettings})`,
  };
}

/** Webhooks; no secret is among the columns. */
export const webhookTable = webhookTableOf('');

/** The same of webhooks on `WebhookHealth`, which have more settings. */
export const healthWebhookTable = webhookTableOf(webhookHealthType);

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
