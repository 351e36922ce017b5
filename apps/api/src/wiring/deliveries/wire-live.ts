import { findWebhookPlaces } from '@callout/db/console';
import { createCalloutLog } from '@callout/db/log';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createLiveHub, type LiveHub, type SubscribeLive } from '../../live/live-hub.ts';
import { addLiveRoutes } from '../../live/live-routes.ts';
import type { ApiContext } from '../context.ts';

/** Where nothing is told live. */
const hearNothing: SubscribeLive = () => ({
  watch: async () => false,
  unwatch: () => undefined,
  close: () => undefined,
});

/** What happens, told at the moment in which it does. */
export function wireLive(context: ApiContext): { hub: LiveHub; addRoutes: (add: AddRoute) => void } {
  const { catalogue, database, search, subscribeLive = hearNothing } = context;
  const calloutLog = createCalloutLog(search, database.pool);
  const hub = createLiveHub({ subscribe: subscribeLive, findPlaces: (keys) => findWebhookPlaces(database, keys) });
  return {
    hub,
    addRoutes: (add) =>
      addLiveRoutes(add, {
        catalogue,
        hub,
        findWebhookKey: (...address) => calloutLog.findWebhookKey(...address),
      }),
  };
}
