/** The way to find the rows of a tenant in a table: by a column, or by a parent row. */
export type TenantColumn = 'tenant' | 'webhook' | 'credential' | 'userName';

/** The condition for the rows of tenant $1, of the table under the name `t`. */
export const conditions: Readonly<Record<TenantColumn, string>> = {
  tenant: 't.tenant_id = $1',
  webhook: 't.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1))',
  credential: 't.credential_id = ANY(ARRAY(SELECT id FROM credentials WHERE tenant_id = $1))',
  userName: `t.user_name_hash = ANY(ARRAY(
    SELECT sha256(convert_to(user_name_folded, 'UTF8')) FROM credentials WHERE tenant_id = $1))`,
};

/** Copied in rounds while the tenant is served; the last round copies the latest changes. */
export const copiedInRounds = [
  'records',
  'event_keys',
  'events',
  'event_matches',
  'callouts',
  'callout_bodies',
  'attempts',
  'webhook_changes',
] as const;

/** Copied as a whole when nothing changes them any more, in an order that foreign keys allow. */
export const copiedAtOnce: readonly (readonly [table: string, by: TenantColumn])[] = [
  ['counters', 'tenant'],
  ['resources', 'tenant'],
  ['credentials', 'tenant'],
  ['udf_definitions', 'tenant'],
  ['webhooks', 'tenant'],
  ['payload_layouts', 'tenant'],
  ['webhook_fields', 'tenant'],
  ['webhook_udf_fields', 'tenant'],
  ['webhook_excluded_resources', 'tenant'],
  ['idempotency_keys', 'credential'],
  ['sign_in_failures', 'userName'],
  ['webhook_health', 'webhook'],
  ['failing_episodes', 'tenant'],
  ['recovered_webhooks', 'tenant'],
  ['mail_confirmations', 'tenant'],
  ['notifications', 'tenant'],
  ['threshold_use', 'tenant'],
  ['threshold_windows', 'tenant'],
  ['threshold_episode_webhooks', 'tenant'],
  ['delivery_minutes', 'tenant'],
  ['delivery_hours', 'tenant'],
  ['webhook_event_error_logs', 'tenant'],
  ['pull_leases', 'tenant'],
  ['open_callouts', 'webhook'],
];

/** Not copied, each for a reason: every table is here or above, and a test checks that none is missing. */
export const notCopied: Readonly<Record<string, string>> = {
  tenants: 'its row is made when the move begins',
  pending_events: 'all are matched before the last round',
  console_sessions: 'users sign in again where the tenant is then',
  console_links: 'links name the zone that made them',
  tenant_moves: 'about the move itself',
  tenant_move_keys: 'about the move itself',
  tenant_move_open: 'about the move itself',
  zones: 'of the installation',
  zone_users: 'of the installation',
  installation_alerts: 'of the installation',
  statistics_progress: 'of the installation',
  processes: 'of the installation',
  dropped_partitions: 'of the installation',
  _prisma_migrations: 'of the installation',
  applied_migrations: 'of the installation',
};
