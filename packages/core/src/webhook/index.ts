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
export { knownChildKeys, knownWebhookKeys } from './webhook-keys.ts';
export {
  parseWebhookCreate,
  parseWebhookPatch,
  parseWebhookPut,
  requiredOfCreate,
  requiredOfPut,
  secretMask,
  type WebhookCreate,
  type WebhookInputContext,
  type WebhookSettings,
  webhookShape,
  type WebhookUpdate,
} from './webhook.ts';
