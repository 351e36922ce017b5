/** Daily tables of history with the tenant in each row. */
export const historyTables = ['events', 'event_matches', 'callouts', 'attempts', 'webhook_event_error_logs'] as const;

/** Deleted with the callouts of their day: they have no column for the tenant. */
export const bodyTable = 'callout_bodies';

/** Large tables without days. */
export const largeTables = ['records', 'event_keys', 'changes', 'notifications'] as const;

const ofWebhooks = 'webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1))';
const ofCredentials = 'credential_id = ANY(ARRAY(SELECT id FROM credentials WHERE tenant_id = $1))';
const ofUserNames = `user_name_hash = ANY(ARRAY(
  SELECT sha256(convert_to(user_name_folded, 'UTF8')) FROM credentials WHERE tenant_id = $1))`;
const ofTenant = 'tenant_id = $1';

/** A table and the condition for the rows of tenant $1. */
export type TenantRows = readonly [table: string, condition: string];

/** Open work, first of all: workers find nothing more to begin. */
export const work: readonly TenantRows[] = [
  ['pending_events', ofTenant],
  ['open_callouts', ofWebhooks],
  ['open_callouts', ofTenant],
  ['mergeable_callouts', ofTenant],
  ['webhook_occurrences', ofTenant],
];

/** The rest, in an order that foreign keys and the conditions of others allow. */
export const rest: readonly TenantRows[] = [
  ['pull_leases', ofTenant],
  ['receiver_tokens', ofWebhooks],
  ['webhook_rates', ofWebhooks],
  ['limited_calls', ofWebhooks],
  ['webhook_health', ofWebhooks],
  ['failing_episodes', ofTenant],
  ['recovered_webhooks', ofTenant],
  ['mail_confirmations', ofTenant],
  ['threshold_episode_webhooks', ofTenant],
  ['threshold_windows', ofTenant],
  ['threshold_use', ofTenant],
  ['delivery_minutes', ofTenant],
  ['delivery_hours', ofTenant],
  ['payload_layouts', ofTenant],
  ['webhook_fields', ofTenant],
  ['webhook_udf_fields', ofTenant],
  ['webhook_excluded_resources', ofTenant],
  ['webhooks', ofTenant],
  ['signing_keys', ofTenant],
  ['udf_definitions', ofTenant],
  ['idempotency_keys', ofCredentials],
  ['sign_in_failures', ofUserNames],
  ['console_links', ofTenant],
  ['console_sessions', ofTenant],
  ['credentials', ofTenant],
  ['resources', ofTenant],
  ['counters', ofTenant],
  ['tenant_moves', ofTenant],
];
