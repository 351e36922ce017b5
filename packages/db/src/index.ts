export { createFieldStore, type FieldStore, type StoredField } from './children.ts';
export { createCredentialStore, type CredentialStore } from './credentials.ts';
export {
  checkServer,
  inTransaction,
  openDatabase,
  type Client,
  type Database,
  type DatabaseOptions,
  type Transaction,
} from './database.ts';
export { isDatabaseAway } from './database-away.ts';
export { claimDueCallouts, type ClaimedCallout, type FreePlaces } from './delivery/claim.ts';
export { settleAttempts, type AttemptRow, type Settlement, type SettleResult } from './delivery/settle.ts';
export { wakeLateEvents, webhooksWithDueCallouts } from './delivery/sweep.ts';
export { readTargets, type StoredTarget } from './delivery/targets.ts';
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
export { claimPendingEvents, storeVerdicts, type EventVerdicts, type StoredEvent } from './match/pending-events.ts';
export { createSubscriptionReader, groupKeyOf, type Subscriptions, type WebhookGroup } from './match/subscriptions.ts';
export { applyMigrations, type MigrationOptions } from './migrations.ts';
export { ensurePartitions, missingPartitions } from './partitions.ts';
export { createRecordStore, type RecordStore } from './records.ts';
export {
  createTenantStore,
  type IssuedCredential,
  type NewCredential,
  type NewResource,
  type NewTenant,
  type TenantStore,
} from './tenants.ts';
export { createUdfDefinitionStore, type UdfDefinitionStore } from './udf-definitions.ts';
export { createWebhookStore, type CreateRules, type NewWebhook, type WebhookStore } from './webhooks.ts';
