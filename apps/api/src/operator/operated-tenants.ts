import type { RequestHandler } from 'express';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { byOperator } from '@callout/domain/changes/actor';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { Problem } from '@callout/domain/problem';
import type { Database } from '@callout/database/connection/database';
import { endWebhook } from '@callout/webhooks/webhook-changes';
import type { ApiContext } from '../api-context.ts';
import { itemId } from '../http/api-response.ts';
import type { Authenticate } from '../http/auth/authenticate.ts';
import { versionedWrite } from '../http/conditional/preconditions.ts';
import type { Methods } from '../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../http/route/path-id.ts';
import { createRouteTable, type Route } from '../http/route/route-table.ts';
import type { ServeDeps } from '../http/route/exchange.ts';
import { webhookTag } from '../rest/webhooks/webhook-item.ts';

/**
 * The API of a tenant for operators, below `/operator/v1/tenants/{tenantId}/v1.0`: operators read what an admin of the
 * tenant reads, repair deliveries, and deactivate webhooks. Requests and responses are equal to the tenant's, and
 * clients work on both. Nothing counts against the hourly limit of the tenant.
 */
export function operatedTenants(routes: readonly Route[], api: ApiContext, serving: ServeDeps): RequestHandler {
  const table = createRouteTable({
    ...serving,
    authenticate: operatorOf(api.database),
    recall: () => undefined,
    requestLimit: { ...serving.requestLimit, count: async () => undefined },
  });
  const webhooks = new Map(api.catalogue.watched.map((entity) => [`/${entity.webhookCollection}/:id`, entity]));
  for (const { path, methods } of routes) {
    const entity = webhooks.get(path);
    const offered = { ...forOperators(methods), ...(entity !== undefined && deactivation(api, entity, methods)) };
    if (Object.keys(offered).length > 0) table.add(path, offered);
  }
  return table.handler;
}

/** The operator as a caller of the tenant in the path, after authentication. */
function operatorOf({ prisma }: Pick<Database, 'prisma'>): Authenticate {
  return async (_headers, _address, request) => {
    const [, tenantText] = /\/tenants\/([^/]+)\/v1\.0$/i.exec(request?.baseUrl ?? '') ?? [];
    const tenantId = pathId(tenantText, MAX_SMALL_ID);
    const tenant = await prisma.tenant.findUnique({
      where: { id: tenantId },
      select: { state: true, apiRequestsPerHour: true },
    });
    if (tenant === null) throw Problem.notFound(`No matching records found: there is no tenant ${tenantId}`);
    return {
      credentialId: 0,
      tenantId,
      resourceId: 0,
      personId: 0,
      role: 'admin',
      canCreateWebhooks: false,
      apiRequestsPerHour: tenant.apiRequestsPerHour,
      ...(tenant.state !== 'active' && { isMoving: true }),
    };
  };
}

/** What operators may call for a tenant: everything that reads, and repairs. */
function forOperators(methods: Methods): Methods {
  const offered = Object.entries(methods).filter(
    ([method, endpoint]) =>
      endpoint.roles !== 'anyone' && (method === 'GET' || endpoint.isRead === true || endpoint.isRepair === true),
  );
  return Object.fromEntries(offered);
}

const settings = knownKeys({ isActive: null });

/** `PATCH …/{id}` with `{"isActive":false}`: the only change of a webhook by operators, in nobody's name. */
function deactivation(api: ApiContext, { entityType }: EntityDefinition, { PATCH: update }: Methods): Methods {
  if (update === undefined || update.roles === 'anyone') return {};
  return {
    PATCH: {
      ...update,
      async handle({ caller: { tenantId }, params, body, preconditions }) {
        const id = pathId(params['id'], MAX_SMALL_ID);
        const { isActive } = foldKeys(body, settings, refuse);
        if (isActive !== false) refuse('isActive');
        const { watch, tagged } = versionedWrite(preconditions, webhookTag);
        const address = { tenantId, entityType, id };
        const { dueWebhookKeys } = await endWebhook(api.database, address, 'user', byOperator, watch);
        api.enqueueDeliver(dueWebhookKeys);
        return tagged(itemId(id));
      },
    },
  };
}

function refuse(key: string): never {
  throw Problem.invalid('an operator can only deactivate a webhook: {"isActive":false}', key);
}
