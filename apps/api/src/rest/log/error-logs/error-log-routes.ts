import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { toWireInstant } from '@callout/domain/values/instant';
import { errorLogFields, errorLogWebhookKey } from '@callout/domain/metadata/error-log-fields';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import type { ErrorLogScope, ErrorLogStore, StoredErrorLog } from '@callout/history/search/tables/error-logs';
import type { FoundRow } from '@callout/history/search/tables/table-search';
import { errorLogTable } from '@callout/history/search/tables/tables';
import { item, itemId } from '../../../http/api-response.ts';
import type { Caller } from '../../../http/auth/caller.ts';
import type { EndpointAction } from '../../../http/route/endpoint.ts';
import { pathId } from '../../../http/route/path/path-id.ts';
import { rights } from '../../../http/auth/rights.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../../metadata/metadata-routes.ts';
import type { UserAccess } from '../../metadata/metadata-operations.ts';
import type { Item, Queried } from '../../query/queried.ts';
import { addCollectionRoutes, type QueryDeps } from '../../query/query-routes.ts';
import { rowItem, tableRows, type TableQueryDeps } from '../../query/table-rows.ts';
import { describeErrorLogs } from './error-log-operations.ts';

interface ErrorLogRouteDeps extends QueryDeps, TableQueryDeps {
  readonly catalogue: Catalogue;
  readonly errorLogs: ErrorLogStore;
}

const COLLECTION = 'WebhookEventErrorLogs';
const PATH = `/${COLLECTION}`;
const fields = metadataOf(errorLogFields);

/** The callouts that used up their attempts: for the owner of their webhook, and for admins. */
export function addErrorLogRoutes(add: AddRoute, deps: ErrorLogRouteDeps): void {
  const { read: readers, write: writers } = rights.errorLogs;
  const restricted = (roles: typeof readers) => (caller: Caller) => by(roles, accessOf(caller))(caller);
  const { described, operations: schemas } = describeErrorLogs(COLLECTION, deps.catalogue);
  const metadata: Metadata = {
    name: 'WebhookEventErrorLog',
    access: { create: null, query: restricted(readers), update: null, delete: restricted(writers) },
    fields: () => fields,
  };
  addMetadataRoutes(add, PATH, { metadata, described });
  addCollectionRoutes(add, PATH, { queried: queriedErrorLogs(deps), described }, deps);
  add(`${PATH}/:id`, {
    GET: { ...read(deps), schema: schemas.read },
    DELETE: { ...remove(deps), schema: schemas.remove },
  });
}

/** Rows of others are left out, as if they were not there. */
function queriedErrorLogs(deps: TableQueryDeps): Queried {
  const collection = defineCollection(COLLECTION, fields);
  return {
    roles: rights.errorLogs.read,
    rowsFor: ({ caller }) => tableRows(deps, collection, errorLogTable, scopeOf(caller), foundItem),
  };
}

/** As errorLogItem: nothing is ever null but the key that belongs to another entity, and that is left out. */
function foundItem(row: FoundRow): Item {
  return Object.fromEntries(Object.entries(rowItem(fields, row)).filter(([, value]) => value !== null));
}

function read({ errorLogs }: ErrorLogRouteDeps): EndpointAction {
  return {
    roles: rights.errorLogs.read,
    async handle({ caller, params }) {
      const log = await errorLogs.find(scopeOf(caller), pathId(params['id']));
      if (log === undefined) throw Problem.notFound();
      return item(errorLogItem(log));
    },
  };
}

function remove({ errorLogs }: ErrorLogRouteDeps): EndpointAction {
  return {
    roles: rights.errorLogs.write,
    async handle({ caller, params }) {
      const id = pathId(params['id']);
      if (!(await errorLogs.remove(scopeOf(caller), id))) throw Problem.notFound();
      return itemId(id);
    },
  };
}

/** Everything, or the rows of the caller's own webhooks. */
function accessOf({ role }: Caller): UserAccess {
  return role === 'admin' ? 'All' : 'Restricted';
}

/** Impersonation does not change the owner of a webhook, which is the API user. */
function scopeOf(caller: Caller): ErrorLogScope {
  return { tenantId: caller.tenantId, ownerResourceId: accessOf(caller) === 'All' ? null : caller.resourceId };
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
