export type { ActivationRules } from './activation.ts';
export type { ChildKind } from './child-tables.ts';
export {
  createChildStore,
  type ChildScope,
  type ChildStore,
  type NewChild,
  type ParentWebhook,
  type StoredChild,
} from './children.ts';
export { createCredentialStore, type CredentialStore, type FoundSignIn } from './credentials.ts';
export {
  checkServer,
  inTransaction,
  openDatabase,
  openSearchPool,
  type Client,
  type Database,
  type DatabaseOptions,
  type Transaction,
} from './database.ts';
export { isDatabaseAway } from './database-away.ts';
export { claimDueCallouts, type ClaimedCallout, type FreePlaces } from './delivery/claim.ts';
export { settleAttempts, type AttemptRow, type Settlement, type SettleResult } from './delivery/settle.ts';
export { beforeAllEvents, pendingEvents, wakeLateEvents, webhooksWithDueCallouts } from './delivery/sweep.ts';
export { readTargets, type StoredTarget } from './delivery/targets.ts';
export { createErrorLogStore, type ErrorLogScope, type ErrorLogStore, type StoredErrorLog } from './error-logs.ts';
export { lowestIdAt, newId } from './ids.ts';
export { createIntakeCommit, type IntakeCommit } from './intake/commit.ts';
export type { Expectation, IntakeEvent, IntakeItem, IntakeRequest, IntakeResult } from './intake/request.ts';
export {
  lockOpenTails,
  storeNewCallouts,
  takeSequenceNumbers,
  type NewCallout,
  type NumberedWebhook,
} from './match/callouts.ts';
export {
  claimPendingEvents,
  stillPending,
  storeVerdicts,
  type EventVerdicts,
  type StoredEvent,
} from './match/pending-events.ts';
export { createSubscriptionReader, groupKeyOf, type Subscriptions, type WebhookGroup } from './match/subscriptions.ts';
export { applyMigrations, type MigrationOptions } from './migrations.ts';
export { describeDatabase, type DatabaseContent } from './database-content.ts';
export { createAdministration, type Administration } from './operator/administration.ts';
export type { CredentialItem, MadeCredentialItem } from './operator/credential-administration.ts';
export type { Page } from './operator/page.ts';
export {
  countSecretsByKey,
  resealSecrets,
  type KeyUse,
  type ResealedBatch,
  type UnreadableSecret,
} from './operator/sealed-secrets.ts';
export type { ResourceItem } from './operator/resource-administration.ts';
export type { TenantItem } from './operator/tenant-administration.ts';
export type { ZoneItem } from './operator/zone-administration.ts';
export { ensurePartitions, missingPartitions } from './partitions.ts';
export { createRecordStore, type RecordStore } from './records.ts';
export { createResourceStore, type ResourceStore, type StoredResource } from './resources.ts';
export type { RecordCollection } from './search/folded-record.ts';
export type { SearchPage } from './search/page.ts';
export { createRecordSearch, type RecordSearch } from './search/record-search.ts';
export type { SearchDeps } from './search/search-transaction.ts';
export type { SearchableTable } from './search/searchable-table.ts';
export { createTableSearch, type FoundRow, type TableSearch } from './search/table-search.ts';
export {
  childTablesToSearch,
  errorLogTable,
  resourceTable,
  udfDefinitionTable,
  webhookTable,
  type EntityScope,
  type TenantScope,
} from './search/tables.ts';
export { countSignInFailures, LOCKOUT_S, type CountedFailures, type SignIn } from './sign-in-failures.ts';
export {
  createTenantStore,
  type IssuedCredential,
  type NewCredential,
  type NewResource,
  type NewTenant,
  type TenantStore,
} from './tenants.ts';
export { createUdfDefinitionStore, type UdfDefinition, type UdfDefinitionStore } from './udf-definitions.ts';
export type { WebhookAddress } from './webhook-address.ts';
export type { WebhookChange } from './webhook-changes.ts';
export { createWebhookStore, type CreateRules, type NewWebhook, type WebhookStore } from './webhooks.ts';
export { findZoneOfUser, findZoneUrls, type ZoneAddress } from './zones.ts';
