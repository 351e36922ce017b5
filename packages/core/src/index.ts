export * from './address.ts';
export * from './catalogue.ts';
export * from './catalogue-dir.ts';
export type {
  ChildInputContext,
  ExcludedResourceInput,
  FieldFlags,
  WebhookFieldInput,
  WebhookUdfFieldInput,
} from './child-input.ts';
export type { UdfReference } from './child-references.ts';
export * from './event.ts';
export * from './fold-keys.ts';
export * from './instant.ts';
export * from './keyring.ts';
export * from './mail-address.ts';
export * from './match.ts';
export * from './outcome.ts';
export * from './payload.ts';
export * from './problem.ts';
export * from './record.ts';
export * from './retry.ts';
export * from './sign.ts';
export * from './states.ts';
export * from './target.ts';
export * from './values.ts';
export * from './webhook.ts';
export * from './webhook-children.ts';
