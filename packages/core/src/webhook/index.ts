export {
  type ChildPlace,
  webhookExcludedResourceFields,
  webhookFieldFields,
  webhookUdfFieldFields,
} from './child-fields-of-entity.ts';
export { type ChildInputContext, type FieldFlags, idOfBody } from './child-input.ts';
export type { UdfReference } from './child-references.ts';
export type { NestedChildren } from './nested-children.ts';
export {
  type ChildUpdate,
  parseExcludedResourceCreate,
  parseFieldCreate,
  parseFieldUpdate,
  parseUdfFieldCreate,
  parseUdfFieldUpdate,
  refuseOtherFieldId,
  type UpdateMethod,
} from './webhook-children.ts';
export { nestedChildFields, webhookFields } from './webhook-fields.ts';
export { knownChildKeys, knownWebhookKeys } from './webhook-keys.ts';
export {
  parseWebhookCreate,
  parseWebhookPatch,
  parseWebhookPut,
  secretMask,
  type WebhookCreate,
  type WebhookInputContext,
  type WebhookSettings,
  type WebhookUpdate,
} from './webhook.ts';
