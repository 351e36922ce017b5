import { findWebhookOwner, findWebhookPlaces } from '@callout/tenancy/sessions/webhook-owner';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createLiveHub, type LiveHub, type SubscribeLive } from '../../live/live-hub.ts';
import { addLiveRoutes } from '../../live/live-routes.ts';
import type { ApiContext } from '../context.ts';

/** Without results of workers. */
const hearNothing: SubscribeLive = () => ({
  watch: async () => false,
  unwatch: () => undefined,
  close: () => undefined,
});

/** Results of attempts at the moment they are known. */
export function wireLive(context: ApiContext): { hub: LiveHub; addRoutes: (add: AddRoute) => void } {
  const { catalogue, database, subscribeLive = hearNothing } = context;
  const hub = createLiveHub({ subscribe: subscribeLive, findPlaces: (keys) => findWebhookPlaces(database, keys) });
  return {
    hub,
    addRoutes: (add) =>
      addLiveRoutes(add, {
        catalogue,
        hub,
        findWebhook: (...address) => findWebhookOwner(database, ...address),
      }),
  };
}
