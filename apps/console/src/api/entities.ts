/** The entities with webhooks. The API has a collection of webhooks, and of records, for each. */
export const entities = [
  { type: 'Account', collection: 'CompanyWebhooks', records: 'Companies', one: 'company', label: 'Companies' },
  { type: 'Contact', collection: 'ContactWebhooks', records: 'Contacts', one: 'contact', label: 'Contacts' },
  {
    type: 'InstalledProduct',
    collection: 'ConfigurationItemWebhooks',
    records: 'ConfigurationItems',
    one: 'configuration item',
    label: 'Configuration items',
  },
  { type: 'Ticket', collection: 'TicketWebhooks', records: 'Tickets', one: 'ticket', label: 'Tickets' },
  {
    type: 'TicketNote',
    collection: 'TicketNoteWebhooks',
    records: 'TicketNotes',
    one: 'ticket note',
    label: 'Ticket notes',
  },
  {
    type: 'WebhookHealth',
    collection: 'WebhookHealthWebhooks',
    records: 'WebhookHealth',
    one: 'webhook',
    label: 'Webhook health',
  },
] as const;

export type Entity = (typeof entities)[number];
export type Collection = Entity['collection'];

/**
 * The path of a collection, typed as the path of company webhooks: all collections have equal operations, and nearly
 * equal schemas.
 * @param path such as `/v1.0/CompanyWebhooks/{id}/Callouts`.
 */
export function pathOf<Path extends `/v1.0/CompanyWebhooks${string}`>(collection: Collection, path: Path): Path {
  return path.replace('CompanyWebhooks', collection) as Path;
}

/** A webhook, as addresses of pages name it. */
export interface WebhookAddress {
  readonly entity: Entity;
  readonly id: number;
}

/**
 * The path of a part of a webhook, and the parameters of the path.
 * @param rest what comes after the id, such as `/readiness`; empty: the webhook itself.
 */
export const webhookPath = <Rest extends string>({ entity }: WebhookAddress, rest: Rest) =>
  pathOf(entity.collection, `/v1.0/CompanyWebhooks/{id}${rest}`);

export const webhookParams = ({ id }: WebhookAddress) => ({ path: { id } });

/** Undefined: no webhook can have the address. */
export function addressOf(entityType: string, webhookId: string): WebhookAddress | undefined {
  const entity = entityOfType(entityType);
  const id = Number(webhookId);
  return entity !== undefined && Number.isSafeInteger(id) && id > 0 ? { entity, id } : undefined;
}

export function entityOfType(entityType: string): Entity | undefined {
  return entities.find((entity) => entity.type === entityType);
}

/** The entities whose records have no user-defined fields. */
export function hasUserDefinedFields({ type }: Entity): boolean {
  return type !== 'TicketNote' && type !== 'WebhookHealth';
}
