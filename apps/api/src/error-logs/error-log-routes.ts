import { errorLogMetadata, errorLogWebhookKey, Problem, toWireInstant } from '@callout/core';
import type { ErrorLogScope, ErrorLogStore, StoredErrorLog } from '@callout/db';
import { item, itemId } from '../http/answer.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { pathId } from '../http/path-id.ts';
import { rights } from '../http/rights.ts';
import type { AddRoute } from '../http/route-table.ts';
import { addMetadataRoutes, by, type UserAccess } from '../metadata/metadata-routes.ts';

export interface ErrorLogRouteDeps {
  readonly errorLogs: ErrorLogStore;
}

const PATH = '/WebhookEventErrorLogs';

/** The callouts that used up their attempts: for the owner of their webhook, and for admins. */
export function addErrorLogRoutes(add: AddRoute, deps: ErrorLogRouteDeps): void {
  const { read: readers, write: writers } = rights.errorLogs;
  const restricted = (roles: typeof readers) => (caller: Caller) => by(roles, accessOf(caller))(caller);
  addMetadataRoutes(add, PATH, {
    name: 'WebhookEventErrorLog',
    access: { create: null, query: restricted(readers), update: null, delete: restricted(writers) },
    fields: () => errorLogMetadata,
  });
  add(`${PATH}/:id`, { GET: read(deps), DELETE: remove(deps) });
}

function read({ errorLogs }: ErrorLogRouteDeps): Endpoint {
  return {
    roles: rights.errorLogs.read,
    async handle({ caller, params }) {
      const log = await errorLogs.find(scopeOf(caller), pathId(params['id']));
      if (log === undefined) throw Problem.notFound();
      return item(errorLogItem(log));
    },
  };
}

function remove({ errorLogs }: ErrorLogRouteDeps): Endpoint {
  return {
    roles: rights.errorLogs.write,
    async handle({ caller, params }) {
      const id = pathId(params['id']);
      if (!(await errorLogs.remove(scopeOf(caller), id))) throw Problem.notFound();
      return itemId(id);
    },
  };
}

/** Everything, or what belongs to the webhooks that the caller owns. */
function accessOf({ role }: Caller): UserAccess {
  return role === 'admin' ? 1 : 2;
}

/** Impersonation changes nothing: who owns a webhook is the API user. */
function scopeOf(caller: Caller): ErrorLogScope {
  return { tenantId: caller.tenantId, ownerResourceId: accessOf(caller) === 1 ? null : caller.resourceId };
}

function errorLogItem(log: StoredErrorLog) {
  const ownKey = errorLogWebhookKey(log.entityType);
  return {
    id: log.id,
    webhookID: log.webhookId,
    webhookGUID: log.webhookGuid,
    entityType: log.entityType,
    sequenceNumber: log.sequenceNumber,
    createDateTime: toWireInstant(log.createdAt),
    errorMessage: log.errorMessage,
    payload: log.payload,
    ...(ownKey && { [ownKey]: log.webhookId }),
  };
}
