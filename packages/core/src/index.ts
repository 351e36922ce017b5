export * from './deliver/address.ts';
export * from './deliver/breaker.ts';
export * from './catalogue/catalogue.ts';
export * from './catalogue/catalogue-dir.ts';
export { idOfBody } from './webhook/child-input.ts';
export type {
  ChildInputContext,
  ExcludedResourceInput,
  FieldFlags,
  WebhookFieldInput,
  WebhookUdfFieldInput,
} from './webhook/child-input.ts';
export type { UdfReference } from './webhook/child-references.ts';
export * from './input/client-network.ts';
export * from './ingest/event.ts';
export * from './input/fold-keys.ts';
export {
  collectUnknownNames,
  expectedKey,
  mostUnknownNames,
  noteUnknownKeys,
  unknownKeysOf,
  type UnknownName,
  type UnknownNames,
} from './input/unknown-names.ts';
export * from './secrets/imported-secret.ts';
export * from './ingest/instant.ts';
export * from './secrets/keyring.ts';
export * from './mail/mail-address.ts';
export * from './match/match.ts';
export * from './match/match-events.ts';
export { textOf } from './input/text-of.ts';
export * from './metadata/error-log-metadata.ts';
export * from './metadata/field-metadata.ts';
export * from './metadata/record-metadata.ts';
export * from './metadata/udf-definition-metadata.ts';
export * from './metadata/webhook-metadata.ts';
export { oneLine } from './mail/clean-text.ts';
export { judgeMail, mailTriedForMs, type MailOutcome, type MailVerdict } from './mail/mail-retry.ts';
export type { AlertContent, NoticeContent, NoticeKind } from './mail/notice.ts';
export { installationAlerts, type InstallationAlertName } from './mail/installation-alerts.ts';
export { durationInWords } from './mail/words.ts';
export { installationName, type MailContext } from './mail/mail-context.ts';
export { writeMail, type WrittenMail } from './mail/write-mail.ts';
export type { NestedChildren } from './webhook/nested-children.ts';
export * from './tenants/index.ts';
export * from './deliver/answers.ts';
export * from './deliver/failures.ts';
export * from './deliver/outcome.ts';
export * from './match/payload.ts';
export * from './errors/problem.ts';
export * from './errors/problem-code.ts';
export * from './query/collection.ts';
export * from './query/condition.ts';
export * from './query/cursor.ts';
export { evaluate, type ValueOf } from './query/evaluate.ts';
export { foldText } from './query/fold-text.ts';
export * from './query/list-cursor.ts';
export { operatorNames } from './query/operators.ts';
export { maxConditions, maxFilterDepth, maxOrBranches } from './query/filter-reading.ts';
export { maxPageSize, parseQuery } from './query/parse-query.ts';
export type { CursorScope } from './query/sealed-token.ts';
export * from './ingest/commit-rows.ts';
export type { OwnEvent } from './ingest/own-event.ts';
export * from './ingest/record.ts';
export * from './ingest/request.ts';
export { IdTaken, takeRequest, type CommitState, type PlacedEvent } from './ingest/take.ts';
export * from './deliver/redact-signatures.ts';
export {
  forecastDeactivation,
  type DeactivationForecast,
  type FailingWebhook,
} from './deliver/deactivation-forecast.ts';
export * from './deliver/retry.ts';
export * from './secrets/secret-rotation.ts';
export * from './deliver/sign.ts';
export * from './settle/judge-settlements.ts';
export * from './settle/settlement.ts';
export { readinessItem, type ReadinessReason } from './log/readiness.ts';
export type { WebhookStatus } from './log/webhook-status.ts';
export { nextAttemptAt, waitsFor, type OpenCalloutStatus, type WaitsFor } from './log/waits-for.ts';
export * from './repair/reopen.ts';
export * from './threshold/share-grants.ts';
export * from './deliver/target.ts';
export * from './metadata/udf-definition.ts';
export type { UdfListValue } from './metadata/udf-list-values.ts';
export * from './ingest/values.ts';
export * from './webhook/webhook.ts';
export * from './webhook/webhook-children.ts';
export * from './webhook/webhook-keys.ts';
export * from './match/subscription-faults.ts';
