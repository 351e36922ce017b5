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
export { earlierNow } from './clock.ts';
export { createCredentialStore, type CredentialStore, type FoundSignIn } from './credentials.ts';
export {
  checkServer,
  inTransaction,
  openDatabase,
  openSearchPool,
  writeProblems,
  type Client,
  type Database,
  type DatabaseOptions,
  type Transaction,
} from './database.ts';
export { isDatabaseAway } from './database-away.ts';
export { deactivateWebhooks, type Deactivation, type DeactivationCause } from './deactivation.ts';
export { forgetDeletedSecrets } from './deleted-webhooks.ts';
export type { AttemptRow } from './delivery/attempt-rows.ts';
export { cancelOpenCallouts, webhooksToCancel } from './delivery/cancel.ts';
export { claimDueCallouts, putOffCallout, type ClaimRules, type FreePlaces } from './delivery/claim.ts';
export type { CalloutKind, ClaimedCallout } from './delivery/claimed.ts';
export { settleAttempts, type SettleResult, type SettleRules } from './delivery/settle.ts';
export type { Settlement } from './delivery/settlement.ts';
export { beforeAllEvents, pendingEvents, wakeLateEvents, webhooksWithDueCallouts } from './delivery/sweep.ts';
export { readTargets, type StoredTarget } from './delivery/targets.ts';
export { releaseHeldCallouts, type ReleaseRules } from './delivery/release-held.ts';
export { claimDueMail, giveUpOldMail, settleMail, type DueMail } from './due-mail.ts';
export { createErrorLogStore, type ErrorLogScope, type ErrorLogStore, type StoredErrorLog } from './error-logs.ts';
export { lowestIdAt, newId } from './ids.ts';
export { createIntakeCommit, type IntakeCommit } from './intake/commit.ts';
export { forgetOldKeys } from './intake/forget-old-keys.ts';
export { findAnswers, repeatKeyOf, repeatOf, type KeptAnswer, type RepeatKeyName } from './intake/repeat-keys.ts';
export type {
  Expectation,
  IntakeEvent,
  IntakeItem,
  IntakeRequest,
  IntakeResult,
  RepeatKey,
  StoredAnswer,
} from './intake/request.ts';
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
export { calloutDetailsItem, calloutItem, failureOf } from './log/callout-item.ts';
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
export { readinessItem } from './log/readiness.ts';
export { createSimulationReader, type JudgedWebhook, type SimulationReader } from './log/simulation.ts';
export { createThresholdReader, type ReadThresholds, type ThresholdUse } from './log/thresholds.ts';
export { createWebhookStandingReader, type ReadWebhookStanding } from './log/webhook-standing.ts';
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
export { storeNotices, type Notice } from './notifications.ts';
export { createAdministration, type Administration } from './operator/administration.ts';
export { countBacklog, readBacklog, type Backlog, type BacklogCounts } from './operator/backlog.ts';
export type { CredentialItem, MadeCredentialItem } from './operator/credential-administration.ts';
export type { LockoutItem } from './operator/lockout-administration.ts';
export { findMissingKeys } from './operator/missing-keys.ts';
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
export { deleteLeftovers, type Leftovers } from './leftovers.ts';
export { ensurePartitions, missingPartitions } from './partitions.ts';
export { dropOldPartitions, keptDays, type KeptDay, type Retention, type RetentionResult } from './retention.ts';
export { createRecordStore, type RecordStore } from './records.ts';
export { createCalloutRepairs, type CalloutRepairs } from './repair/callout-repairs.ts';
export type { CalloutAddress } from './repair/find-callout.ts';
export { rotateSecret } from './repair/rotate-secret.ts';
export type { TestAttempt, TestResult } from './repair/test-callout.ts';
export { createResourceStore, type ResourceStore, type StoredResource } from './resources.ts';
export type { RecordCollection } from './search/folded-record.ts';
export type { SearchPage } from './search/page.ts';
export { createRecordSearch, type RecordSearch } from './search/record-search.ts';
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
export type { WebhookChange, Woken } from './webhook-changes.ts';
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
} from './webhook-history.ts';
export { createWebhookStore, type CreateRules, type NewWebhook, type WebhookStore } from './webhooks.ts';
export { findZoneOfUser, findZoneUrls, type ZoneAddress } from './zones.ts';
