import type { EntityName } from './all-paths.ts';

/**
 * The collections of webhooks, one for each entity: `CompanyWebhooks`, `TicketWebhooks`, … All take and answer the
 * same, so a program can be written for a single collection: `` `/v1.0/${collection}/{id}` as
 * '/v1.0/CompanyWebhooks/{id}' ``.
 */
export type WebhookCollection = `${EntityName}Webhooks`;

/** Written out, since types are gone when a program runs. */
const collections: Readonly<Record<WebhookCollection, true>> = {
  CompanyWebhooks: true,
  ConfigurationItemWebhooks: true,
  ContactWebhooks: true,
  TicketNoteWebhooks: true,
  TicketWebhooks: true,
  WebhookHealthWebhooks: true,
};

/** The names of all of them. */
export const webhookCollections = Object.keys(collections) as readonly WebhookCollection[];
