import { addChildRoutes, type ChildRouteDeps } from '../webhooks/children/child-routes.ts';
import { addDeliveryLogRoutes, type DeliveryLogRouteDeps } from '../log/delivery-log-routes.ts';
import { addErrorLogRoutes, type ErrorLogRouteDeps } from '../log/error-logs/error-log-routes.ts';
import { addEventRoutes, type EventRouteDeps } from '../ingest/events/event-routes.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { addRecordRoutes, type RecordRouteDeps } from '../ingest/records/record-routes.ts';
import { addRepairRoutes, type RepairRouteDeps } from '../repair/repair-routes.ts';
import { addResourceRoutes, type ResourceRouteDeps } from '../tenants/resources/resource-routes.ts';
import { addServiceRoutes, type ServiceRouteDeps } from '../service/service-routes.ts';
import { addDefinitionRoutes, type DefinitionRouteDeps } from '../tenants/udf/definition-routes.ts';
import { addChangeRoutes, type ChangeRouteDeps } from '../webhooks/change-routes.ts';
import { addWebhookRoutes, type WebhookRouteDeps } from '../webhooks/webhook-routes.ts';

export type RouteDeps = ServiceRouteDeps &
  EventRouteDeps &
  RecordRouteDeps &
  ResourceRouteDeps &
  DefinitionRouteDeps &
  WebhookRouteDeps &
  ChangeRouteDeps &
  ChildRouteDeps &
  RepairRouteDeps &
  ErrorLogRouteDeps &
  DeliveryLogRouteDeps;

/** Every path below `/v1.0`. */
export function addRoutes(add: AddRoute, deps: RouteDeps): void {
  addServiceRoutes(add, deps);
  addEventRoutes(add, deps);
  addRecordRoutes(add, deps);
  addResourceRoutes(add, deps);
  addDefinitionRoutes(add, deps);
  addWebhookRoutes(add, deps);
  addChangeRoutes(add, deps);
  addChildRoutes(add, deps);
  addRepairRoutes(add, deps);
  addErrorLogRoutes(add, deps);
  addDeliveryLogRoutes(add, deps);
}
