import { checkTargetUrl, parseCidrs } from '@callout/core/deliver';
import { createSimulationReader } from '@callout/db/log';
import { createChildStore, createWebhookHistory, createWebhookStore } from '@callout/db/webhooks';
import type { AddRoute } from '../http/route/route-table.ts';
import { addNewWebhookRoutes } from '../log/check/new-webhook-routes.ts';
import type { MailRecipients } from '../mail/mail-recipients.ts';
import { addChangeRoutes } from '../webhooks/change-routes.ts';
import { addChildRoutes } from '../webhooks/children/child-routes.ts';
import { addWebhookRoutes } from '../webhooks/webhook-routes.ts';
import type { ApiContext } from './context.ts';

/** Webhooks, their children and their history. */
export function wireWebhooks(context: ApiContext, mailRecipients: MailRecipients): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, queries, enqueueDeliver } = context;
  const webhooks = createWebhookStore(database);
  const targetPolicy = { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) };
  const checkUrl = (text: string) => checkTargetUrl(text, targetPolicy);
  return (add) => {
    const shared = { ...queries, catalogue, webhooks };
    addNewWebhookRoutes(add, {
      ...shared,
      checkUrl,
      simulation: createSimulationReader(database.pool, catalogue),
      userAgent: config.USER_AGENT,
    });
    addWebhookRoutes(add, {
      ...shared,
      maxActiveWebhooksPerEntity: config.MAX_ACTIVE_WEBHOOKS_PER_ENTITY,
      checkUrl,
      keyRing,
      mailRecipients,
      enqueueDeliver,
    });
    addChangeRoutes(add, { catalogue, webhookHistory: createWebhookHistory(database) });
    addChildRoutes(add, { ...shared, children: createChildStore(database) });
  };
}
