import { createResourceStore } from '@callout/tenancy/resources';
import type { AddRoute } from '../http/route/route-table.ts';
import type { MailRecipients } from '../rest/mail/mail-recipients.ts';
import { addResourceRoutes } from '../rest/tenants/resources/resource-routes.ts';
import { addDefinitionRoutes } from '../rest/tenants/udf/definition-routes.ts';
import type { ApiContext } from './context.ts';

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
