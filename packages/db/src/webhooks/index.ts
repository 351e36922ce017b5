export type { ChildKind, ChildScope, StoredChild } from './child-tables.ts';
export { type ChildStore, createChildStore, type NewChild, type ParentWebhook } from './children.ts';
export type { WebhookAddress } from './webhook-address.ts';
export type { DueWebhooks } from './webhook-changes.ts';
export {
  createWebhookHistory,
  historyCauses,
  historyChanges,
  LISTED_CHANGES,
  type StoredChange,
  type WebhookHistory,
} from './webhook-history.ts';
export { type CreateRules, createWebhookStore, type StoredWebhook, type WebhookStore } from './webhooks.ts';
