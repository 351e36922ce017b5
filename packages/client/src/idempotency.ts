import type { Middleware } from 'openapi-fetch';

/**
 * Gives an `Idempotency-Key` to every request that accepts a key and lacks one: a repeat gets the answer of the first
 * request, and nothing is done twice. A key of your own makes repeats safe beyond the life of your process.
 */
export const addIdempotencyKey: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = pathsWithKey.has(`${request.method} ${schemaPath}`);
    if (takesKey && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    }
  },
};

/**
 * The operations that take an `Idempotency-Key`: writes of records and events. Written out, so the client can be
 * bundled without an API; a test compares the list with the OpenAPI document.
 */
export const pathsWithKey: ReadonlySet<string> = new Set([
  'POST /v1.0/EntityEvents',
  'POST /v1.0/Companies',
  'PATCH /v1.0/Companies',
  'PUT /v1.0/Companies',
  'PATCH /v1.0/Companies/{id}',
  'PUT /v1.0/Companies/{id}',
  'DELETE /v1.0/Companies/{id}',
  'POST /v1.0/ConfigurationItems',
  'PATCH /v1.0/ConfigurationItems',
  'PUT /v1.0/ConfigurationItems',
  'PATCH /v1.0/ConfigurationItems/{id}',
  'PUT /v1.0/ConfigurationItems/{id}',
  'DELETE /v1.0/ConfigurationItems/{id}',
  'POST /v1.0/Contacts',
  'PATCH /v1.0/Contacts',
  'PUT /v1.0/Contacts',
  'PATCH /v1.0/Contacts/{id}',
  'PUT /v1.0/Contacts/{id}',
  'DELETE /v1.0/Contacts/{id}',
  'POST /v1.0/TicketNotes',
  'PATCH /v1.0/TicketNotes',
  'PUT /v1.0/TicketNotes',
  'PATCH /v1.0/TicketNotes/{id}',
  'PUT /v1.0/TicketNotes/{id}',
  'DELETE /v1.0/TicketNotes/{id}',
  'POST /v1.0/Tickets',
  'PATCH /v1.0/Tickets',
  'PUT /v1.0/Tickets',
  'PATCH /v1.0/Tickets/{id}',
  'PUT /v1.0/Tickets/{id}',
  'DELETE /v1.0/Tickets/{id}',
  'POST /v1.0/Companies/{parentId}/ConfigurationItems',
  'PATCH /v1.0/Companies/{parentId}/ConfigurationItems',
  'PUT /v1.0/Companies/{parentId}/ConfigurationItems',
  'PATCH /v1.0/Companies/{parentId}/ConfigurationItems/{id}',
  'PUT /v1.0/Companies/{parentId}/ConfigurationItems/{id}',
  'POST /v1.0/Companies/{parentId}/Contacts',
  'PATCH /v1.0/Companies/{parentId}/Contacts',
  'PUT /v1.0/Companies/{parentId}/Contacts',
  'PATCH /v1.0/Companies/{parentId}/Contacts/{id}',
  'PUT /v1.0/Companies/{parentId}/Contacts/{id}',
  'POST /v1.0/Tickets/{parentId}/Notes',
  'PATCH /v1.0/Tickets/{parentId}/Notes',
  'PUT /v1.0/Tickets/{parentId}/Notes',
  'PATCH /v1.0/Tickets/{parentId}/Notes/{id}',
  'PUT /v1.0/Tickets/{parentId}/Notes/{id}',
]);
