export * from './address.ts';
export * from './breaker.ts';
export * from './catalogue.ts';
export * from './catalogue-dir.ts';
export { idOfBody } from './child-input.ts';
export type {
  ChildInputContext,
  ExcludedResourceInput,
  FieldFlags,
  WebhookFieldInput,
  WebhookUdfFieldInput,
} from './child-input.ts';
export type { UdfReference } from './child-references.ts';
export * from './client-network.ts';
export * from './event.ts';
export * from './fold-keys.ts';
export * from './imported-secret.ts';
export * from './instant.ts';
export * from './keyring.ts';
export * from './mail-address.ts';
export * from './match.ts';
export * from './metadata/error-log-metadata.ts';
export * from './metadata/field-metadata.ts';
export * from './metadata/record-metadata.ts';
export * from './metadata/udf-definition-metadata.ts';
export * from './metadata/webhook-metadata.ts';
export { oneLine } from './notices/clean-text.ts';
export { judgeMail, mailTriedForMs, type MailOutcome, type MailVerdict } from './notices/mail-retry.ts';
export type { NoticeContent, NoticeKind } from './notices/notice.ts';
export { writeMail, type MailContext, type WrittenMail } from './notices/write-mail.ts';
export type { NestedChildren } from './nested-children.ts';
export * from './operator/index.ts';
export * from './outcome.ts';
export * from './payload.ts';
export * from './problem.ts';
export * from './problem-code.ts';
export * from './query/collection.ts';
export * from './query/condition.ts';
export * from './query/cursor.ts';
export { evaluate, type ValueOf } from './query/evaluate.ts';
export { foldText } from './query/fold-text.ts';
export * from './query/list-cursor.ts';
export { operatorNames } from './query/operators.ts';
export { maxPageSize, parseQuery } from './query/parse-query.ts';
export type { CursorScope } from './query/sealed-token.ts';
export * from './record.ts';
export * from './redact-signatures.ts';
export * from './retry.ts';
export * from './secret-rotation.ts';
export * from './sign.ts';
export * from './states.ts';
export * from './target.ts';
export * from './udf-definition.ts';
export type { UdfListValue } from './udf-list-values.ts';
export * from './values.ts';
export * from './webhook.ts';
export * from './webhook-children.ts';
