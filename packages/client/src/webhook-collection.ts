import type { paths } from './generated/api.ts';

/**
 * The collections of webhooks, one for each entity: `CompanyWebhooks`, `TicketWebhooks`, … They take and answer the same,
 * so a program for any of them can be written for one: `` `/v1.0/${collection}/{id}` as '/v1.0/CompanyWebhooks/{id}' ``.
 */
export type WebhookCollection = {
  [Path in keyof paths]: Path extends `/v1.0/${infer Collection}/{id}/Pull` ? Collection : never;
}[keyof paths];

/** Written out, since types are gone when a program runs. What the webhooks of each collection watch, and whether that can have user-defined fields. */
export const watched = {
  CompanyWebhooks: { records: 'Companies', entityType: 'Account', hasUserDefinedFields: true },
  ConfigurationItemWebhooks: {
    records: 'ConfigurationItems',
    entityType: 'InstalledProduct',
    hasUserDefinedFields: true,
  },
  ContactWebhooks: { records: 'Contacts', entityType: 'Contact', hasUserDefinedFields: true },
  TicketNoteWebhooks: { records: 'TicketNotes', entityType: 'TicketNote', hasUserDefinedFields: false },
  TicketWebhooks: { records: 'Tickets', entityType: 'Ticket', hasUserDefinedFields: true },
} as const satisfies Record<WebhookCollection, object>;

/** The names of all of them. */
export const webhookCollections = Object.keys(watched) as readonly WebhookCollection[];
