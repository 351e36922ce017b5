export { tidyApiRoot, usualRoot } from './api-root.ts';
export { ApiError, type ErrorDetail } from './api-error.ts';
export { calloutTypes } from './callout-types/callout-types.ts';
export type { WebhookPlace } from './callout-types/callout-types.ts';
export { type CalloutClient, createClient, type CreateClientOptions, type Schemas } from './client.ts';
export type { Credential } from './credential.ts';
export {
  createOperatorClient,
  type CreateOperatorClientOptions,
  type OperatorClient,
  type OperatorSchemas,
} from './operator-client.ts';
export { listAll, queryAll } from './pages.ts';
export type { RetryOptions } from './retry.ts';
export { type WebhookCollection, webhookCollections } from './webhook-collection.ts';
