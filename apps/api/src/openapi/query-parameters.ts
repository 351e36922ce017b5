/** Parameters of query strings: what they mean, and whether they must be there. */
export const queryParameters = {
  search: { description: 'The query, as the JSON that a POST takes as its body.', required: false },
  paging: { description: 'The token of the page, as prevPageUrl or nextPageUrl have it.', required: true },
  user: { description: 'The user name.', required: true },
  maxRecords: { description: 'Rows of a page, 1 to 500; 500 when it is left out.', required: false },
  state: {
    description: 'waiting, held, due, delivered, failed or cancelled; several are separated by commas.',
    required: false,
  },
  recordID: { description: 'The id of the record.', required: false },
  resourceID: { description: 'The id of the resource that acted.', required: false },
  action: { description: 'Create, Update, Delete or Deactivated; several are separated by commas.', required: false },
  kind: { description: 'event, deactivation or test; several are separated by commas.', required: false },
  since: { description: 'Made then or later: a date and time such as 2026-01-15T09:30:00Z.', required: false },
  until: { description: 'Made before then.', required: false },
  fromSequence: { description: 'The lowest sequence number.', required: false },
  toSequence: { description: 'The highest sequence number.', required: false },
  entityType: { description: 'The type of entity, such as Account.', required: false },
  eventID: { description: 'The eventID of its caller, or that of the service.', required: false },
  webhookGUID: { description: 'The GUID of a webhook.', required: false },
} as const;

export type QueryParameter = keyof typeof queryParameters;
