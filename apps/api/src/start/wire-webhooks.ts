import { parseCidrs } from '@callout/domain/target/address';
import { checkTargetUrl } from '@callout/domain/target/target';
import { createCalloutLog } from '@callout/history/log/callouts/callout-log';
import { createSimulationReader } from '@callout/history/log/simulation';
import { createWebhookHistory } from '@callout/pipeline/deactivate/webhook-history';
import { createChildStore } from '@callout/webhooks/children';
import { createWebhookStore } from '@callout/webhooks/webhooks';
import { createResourceStore } from '@callout/tenancy/resources';
import type { AddRoute } from '../http/route/route-table.ts';
import { addNewWebhookRoutes } from '../rest/log/check/new-webhook-routes.ts';
import type { MailRecipients } from '../rest/mail/mail-recipients.ts';
import { addChangeRoutes } from '../rest/webhooks/change-routes.ts';
import { addChildRoutes } from '../rest/webhooks/children/child-routes.ts';
import { addWebhookRoutes } from '../rest/webhooks/webhook-routes.ts';
import type { ApiContext } from './context.ts';
import { addResourceRoutes } from '../rest/tenants/resources/resource-routes.ts';
import { addDefinitionRoutes } from '../rest/tenants/udf/definition-routes.ts';

/** Webhooks, their children and their history. */
export function wireWebhooks(context: ApiContext, mailRecipients: MailRecipients): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, queries, search, enqueueDeliver } = context;
  const webhooks = createWebhookStore(database);
  const targetPolicy = { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) };
  const checkUrl = (text: string) => checkTargetUrl(text, targetPolicy);
  return (add) => {
    const shared = { ...queries, catalogue, webhooks };
    addNewWebhookRoutes(add, {
      ...shared,
      checkUrl,
      simulation: createSimulationReader(database.pool, catalogue),
      calloutLog: createCalloutLog(search, database.pool),
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

/** The other data of a tenant: resources and definitions of user-defined fields. */
export function wireTenants(context: ApiContext, mailRecipients: MailRecipients): (add: AddRoute) => void {
  const { catalogue, database, definitions, queries, enqueueDeliver } = context;
  const resources = createResourceStore(database);
  return (add) => {
    const now = () => new Date();
    addResourceRoutes(add, { ...queries, catalogue, resources, mailRecipients, enqueueDeliver, now });
    addDefinitionRoutes(add, { ...queries, catalogue, definitions });
  };
}
