const webhooks = 'SELECT key FROM webhooks WHERE tenant_id = $1';
const callouts = `SELECT id FROM callouts WHERE webhook_key IN (${webhooks})`;

/** The condition for the rows of tenant $1, of the table under the name `t`: by an index, wherever there is one. */
const of = {
  tenant: 't.tenant_id = $1',
  webhook: `t.webhook_key IN (${webhooks})`,
  event: 't.event_id IN (SELECT id FROM events WHERE tenant_id = $1)',
  callout: `t.callout_id IN (${callouts})`,
  credential: 't.credential_id IN (SELECT id FROM credentials WHERE tenant_id = $1)',
  userName: `t.user_name_hash IN (
    SELECT sha256(convert_to(user_name_folded, 'UTF8')) FROM credentials WHERE tenant_id = $1)`,
} as const;

/** A table, and the condition for the rows of tenant $1. */
export type MovedTable = readonly [table: string, condition: string];

/**
 * Copied in transactions of bounded size. Nothing looks at the rows before the rows of `setUp` are there, and copies of
 * an earlier run are overwritten.
 */
export const history: readonly MovedTable[] = [
  ['records', of.tenant],
  ['event_keys', of.tenant],
  ['events', of.tenant],
  ['event_matches', of.event],
  ['callouts', of.webhook],
  ['callout_bodies', of.callout],
  ['attempts', of.callout],
  ['changes', of.tenant],
];

/**
 * Copied afterwards in one transaction, in an order that foreign keys allow: the sweeps of the other zone see all rows
 * or nothing.
 */
export const setUp: readonly MovedTable[] = [
  ['counters', of.tenant],
  ['resources', of.tenant],
  ['credentials', of.tenant],
  ['udf_definitions', of.tenant],
  ['signing_keys', of.tenant],
  ['webhooks', of.tenant],
  ['payload_layouts', of.tenant],
  ['webhook_fields', of.tenant],
  ['webhook_udf_fields', of.tenant],
  ['webhook_excluded_resources', of.tenant],
  ['idempotency_keys', of.credential],
  ['sign_in_failures', of.userName],
  ['webhook_rates', of.webhook],
  ['webhook_health', of.webhook],
  ['failing_episodes', of.tenant],
  ['recovered_webhooks', of.tenant],
  ['mail_confirmations', of.tenant],
  ['notifications', of.tenant],
  ['webhook_occurrences', of.tenant],
  ['threshold_use', of.tenant],
  ['threshold_windows', of.tenant],
  ['threshold_episode_webhooks', of.tenant],
  ['delivery_minutes', of.tenant],
  ['delivery_hours', of.tenant],
  ['webhook_event_error_logs', of.tenant],
  ['pull_leases', of.tenant],
  ['open_callouts', of.webhook],
];

/** Not copied, each for a reason: a test checks that every table is here or above. */
export const notCopied: Readonly<Record<string, string>> = {
  tenants: 'its row is made when the move begins',
  pending_events: 'all are matched before anything is copied',
  receiver_tokens: 'tokens are fetched again',
  limited_calls: 'calls that are under way have ended, or their leases have',
  mergeable_callouts: 'without a row the bytes of a callout are final: the next change of its record makes a new one',
  console_sessions: 'users sign in again where the tenant is then',
  console_links: 'links name the zone that made them',
  tenant_moves: 'about the move itself',
  zones: 'of the installation',
  zone_users: 'of the installation',
  installation_alerts: 'of the installation',
  operator_messages: 'of the installation',
  statistics_progress: 'of the installation',
  processes: 'of the installation',
  dropped_partitions: 'of the installation',
  _prisma_migrations: 'of the installation',
  applied_migrations: 'of the installation',
};
