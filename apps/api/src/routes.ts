import { addFieldRoutes, type FieldRouteDeps } from './children/field-routes.ts';
import { addEventRoutes, type EventRouteDeps } from './events/event-routes.ts';
import { ok } from './http/answer.ts';
import type { AddRoute } from './http/route-table.ts';
import { addRecordRoutes, type RecordRouteDeps } from './records/record-routes.ts';
import { addWebhookRoutes, type WebhookRouteDeps } from './webhooks/webhook-routes.ts';

export type RouteDeps = EventRouteDeps & RecordRouteDeps & WebhookRouteDeps & FieldRouteDeps;

/** Every path below `/v1.0`. */
export function addRoutes(add: AddRoute, deps: RouteDeps): void {
  add('/Version', { GET: { roles: 'anyone', handle: () => ok({ apiVersion: 'V1.0' }) } });
  addEventRoutes(add, deps);
  addRecordRoutes(add, deps);
  addWebhookRoutes(add, deps);
  addFieldRoutes(add, deps);
}
