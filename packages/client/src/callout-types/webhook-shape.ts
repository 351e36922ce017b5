import type { JsonSchema } from './json-schema.ts';

/** A webhook and what it sends. */
export interface WebhookShape {
  /** Such as `CompanyWebhooks/3`. */
  readonly webhook: string;
  readonly name: string;
  /** Its PayloadSchema. */
  readonly schema: JsonSchema;
}
