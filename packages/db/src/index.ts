export type { ActivationRules } from './deactivate/activation.ts';
export type { ChildKind, ChildScope, StoredChild } from './webhooks/child-tables.ts';
export { createChildStore, type ChildStore, type NewChild, type ParentWebhook } from './webhooks/children.ts';
export { earlierNow } from './connection/clock.ts';
export { createCredentialStore, type CredentialStore, type FoundSignIn } from './tenants/credentials.ts';
export {
  checkServer,
  inTransaction,
  inTransactionEndingWith,
  openDatabase,
  openSearchPool,
  type Client,
  type Database,
  type DatabaseOptions,
  type Sent,
  type Transaction,
} from './connection/database.ts';
export { isDatabaseAway } from './connection/database-away.ts';
export { isValueRefused } from './connection/value-refused.ts';
export { deactivateWebhooks, type Deactivation, type DeactivationCause } from './deactivate/deactivation.ts';
export { forgetDeletedSecrets } from './deactivate/deleted-webhooks.ts';
export { cancelOpenCallouts, webhooksToCancel } from './deactivate/cancel.ts';
export { claimDueCallouts, putOffCallout, type ClaimRules, type FreeSlots } from './claim/claim.ts';
export type { ClaimedCallout } from './claim/claimed.ts';
export { lockForSettlement, storeSettlements, type SettleResult } from './settle/settle.ts';
export { beforeAllEvents, pendingEvents, wakeLateEvents, webhooksWithDueCallouts } from './claim/sweep.ts';
export { readTargets, type StoredTarget } from './claim/targets.ts';
export { holdCallouts } from './claim/hold.ts';
export { releaseHeldCallouts, type ReleaseRules } from './claim/release-held.ts';
export {
  confirmAddress,
  findConfirmation,
  requestConfirmation,
  type ConfirmationRequest,
} from './mail/confirmations.ts';
export { tellOfFailingWebhooks, type FailingRules } from './mail/failing.ts';
export { keepAlerts, type AlertRound } from './mail/installation-alerts.ts';
export { findOverdueCallout, findRefusedMail, oldestPendingEvent } from './mail/overdue.ts';
export { gatherMail, type GatherRules } from './mail/gather-mail.ts';
export { lockThresholds, takeFirstAttempts, takeFirstAttemptsIn } from './claim/threshold.ts';
export { claimDueMail, giveUpOldMail, settleMail, type DueMail } from './mail/due-mail.ts';
export { createErrorLogStore, type ErrorLogScope, type ErrorLogStore, type StoredErrorLog } from './log/error-logs.ts';
export { lowestIdAt, newId } from './schema/ids.ts';
export { createIntakeCommit, type IntakeCommit } from './ingest/commit.ts';
export { forgetOldKeys } from './cleanup/forget-old-keys.ts';
export { findAnswers, repeatKeyOf, repeatOf, type KeptAnswer, type RepeatKeyName } from './ingest/repeat-keys.ts';
export type { CalloutScope } from './log/callout-candidates.ts';
export {
  calloutKinds,
  calloutStates,
  missedCalloutStates,
  openCalloutStates,
  type CalloutFilter,
  type CalloutRange,
  type CalloutState,
} from './log/callout-filter.ts';
export { calloutDetailsItem, calloutItem, failureOf, noteOf } from './log/callout-item.ts';
export { createCalloutLog, type CalloutLog } from './log/callout-log.ts';
export {
  createEventLog,
  type EventDetails,
  type EventFilter,
  type EventLog,
  type LoggedEvent,
} from './log/event-log.ts';
export type { LoggedVerdict } from './log/event-verdicts.ts';
export { idOf, timeOfId } from './log/id-time.ts';
export type { LogPage } from './log/log-page.ts';
export { createSimulationReader, type JudgedWebhook, type SimulationReader } from './log/simulation.ts';
export { createThresholdReader, type ReadThresholds, type ThresholdUse } from './log/thresholds.ts';
export { createWebhookStatusReader, type ReadWebhookStatus } from './log/webhook-status.ts';
export {
  lockOpenTails,
  storeNewCallouts,
  takeSequenceNumbers,
  type NewLease,
  type NumberedWebhook,
} from './match/callouts.ts';
export {
  claimPendingEvents,
  stillPending,
  storeVerdicts,
  type GroupVersions,
  type StoredEvent,
} from './match/pending-events.ts';
export { createSubscriptionReader, groupKeyOf, type Subscriptions, type WebhookGroup } from './match/subscriptions.ts';
export { applyMigrations, type MigrationOptions } from './schema/migrations.ts';
export { describeDatabase, type DatabaseContent } from './schema/database-content.ts';
export { storeNotices, type Notice } from './mail/notifications.ts';
export { createAdministration, type Administration } from './tenants/operator/administration.ts';
export { countBacklog, readBacklog, type Backlog, type BacklogCounts } from './tenants/operator/backlog.ts';
export type { CredentialItem, MadeCredentialItem } from './tenants/operator/credential-administration.ts';
export type { LockoutItem } from './tenants/operator/lockout-administration.ts';
export { describeMissingKeys, findMissingKeys, requireKeys } from './tenants/operator/missing-keys.ts';
export type { Page } from './tenants/operator/page.ts';
export { checkOwnSessions } from './connection/own-sessions.ts';
export {
  countSecretsByKey,
  resealSecrets,
  type KeyUse,
  type ResealedBatch,
  type UnreadableSecret,
} from './tenants/operator/sealed-secrets.ts';
export type { ResourceItem } from './tenants/operator/resource-administration.ts';
export type { TenantItem } from './tenants/operator/tenant-administration.ts';
export type { WebhookItem, WebhookName } from './tenants/operator/webhook-administration.ts';
export type { ZoneItem } from './tenants/operator/zone-administration.ts';
export { deleteLeftovers, type Leftovers } from './cleanup/leftovers.ts';
export { ensurePartitions, missingPartitions } from './schema/partitions.ts';
export {
  dropOldPartitions,
  keptDays,
  type KeptDay,
  type Retention,
  type RetentionResult,
} from './cleanup/retention.ts';
export { createRecordStore, type RecordStore } from './records/records.ts';
export { createCalloutRepairs, type CalloutRepairs } from './repair/callout-repairs.ts';
export type { CalloutAddress } from './repair/find-callout.ts';
export { rotateSecret } from './repair/rotate-secret.ts';
export type { TestAttempt, TestResult } from './repair/test-callout.ts';
export { createResourceStore, type ResourceStore, type StoredResource } from './tenants/resources.ts';
export type { RecordCollection } from './search/folded-record.ts';
export type { SearchPage } from './search/page.ts';
export { createRecordSearch, type RecordSearch } from './search/record-search.ts';
export { mostPageBytes } from './search/read-records.ts';
export type { SearchDeps } from './search/search-transaction.ts';
export type { SearchableTable, TenantScope } from './search/searchable-table.ts';
export { createTableSearch, type FoundRow, type TableSearch } from './search/table-search.ts';
export {
  childTablesToSearch,
  errorLogTable,
  resourceTable,
  udfDefinitionTable,
  webhookTable,
  type EntityScope,
} from './search/tables.ts';
export { countSignInFailures, LOCKOUT_S, type CountedFailures, type SignIn } from './tenants/sign-in-failures.ts';
export { eraseTenants, hasTenantsToErase, type ErasedTenant } from './tenants/erase/erase-tenants.ts';
export { exportTenant } from './tenants/export/export-tenant.ts';
export { openSecrets } from './tenants/export/open-secrets.ts';
export {
  createTenantStore,
  type IssuedCredential,
  type NewCredential,
  type NewResource,
  type NewTenant,
  type TenantStore,
} from './tenants/tenants.ts';
export { createUdfDefinitionStore, type UdfDefinition, type UdfDefinitionStore } from './tenants/udf-definitions.ts';
export type { WebhookAddress } from './webhooks/webhook-address.ts';
export type { WebhookChange, Woken } from './webhooks/webhook-changes.ts';
export {
  createWebhookHistory,
  historyCauses,
  historyChanges,
  LISTED_CHANGES,
  recordChanges,
  type HistoryCause,
  type HistoryChange,
  type HistoryEntry,
  type StoredChange,
  type WebhookHistory,
} from './webhooks/webhook-history.ts';
export {
  createWebhookStore,
  type CreateRules,
  type NewWebhook,
  type StoredWebhook,
  type WebhookStore,
} from './webhooks/webhooks.ts';
export { findZoneOfUser, findZoneUrls, type ZoneAddress } from './tenants/zones.ts';
