import type { paths } from './generated/api.ts';

/**
 * The collections of webhooks, one for each entity: `CompanyWebhooks`, `TicketWebhooks`, … They take and answer the same,
 * so a program for any of them can be written for one: `` `/v1.0/${collection}/{id}` as '/v1.0/CompanyWebhooks/{id}' ``.
 */
export type WebhookCollection = {
  [Path in keyof paths]: Path extends `/v1.0/${infer Collection}/{id}/Pull` ? Collection : never;
}[keyof paths];

/** Written out, so that it compiles without the generated types; a test holds it against the OpenAPI document. */
export const webhookCollections = [
  'CompanyWebhooks',
  'ConfigurationItemWebhooks',
  'ContactWebhooks',
  'TicketNoteWebhooks',
  'TicketWebhooks',
] as const satisfies readonly WebhookCollection[];
