/** The address of a webhook: its public id is sequential per tenant and entity. */
export interface WebhookAddress {
  tenantId: number;
  entityType: string;
  id: number;
}
