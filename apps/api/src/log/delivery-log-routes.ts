import type { AddRoute } from '../http/route/route-table.ts';
import { addCalloutRoutes, type CalloutRouteDeps } from './callouts/callout-routes.ts';
import { addEventLogRoutes, type EventLogRouteDeps } from './events/event-log-routes.ts';
import { addThresholdRoutes, type ThresholdRouteDeps } from './threshold-routes.ts';
import { addWebhookCheckRoutes, type WebhookCheckRouteDeps } from './check/webhook-check-routes.ts';

type DeliveryLogRouteDeps = CalloutRouteDeps & EventLogRouteDeps & WebhookCheckRouteDeps & ThresholdRouteDeps;

/** Everything that shows deliveries, or what they would be; nothing here changes anything. */
export function addDeliveryLogRoutes(add: AddRoute, deps: DeliveryLogRouteDeps): void {
  addCalloutRoutes(add, deps);
  addEventLogRoutes(add, deps);
  addWebhookCheckRoutes(add, deps);
  addThresholdRoutes(add, deps);
}
