import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { describedErrorLogFields, errorLogFields, errorLogWebhookKey } from '@callout/domain/metadata/error-log-fields';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { recordSchema } from '../../http/operation/field-schemas.ts';
import { namesOf } from '../../http/operation/names.ts';
import { collectionTags } from '../../http/operation/tags.ts';
import { Problem } from '@callout/domain/problem';
import { toWireInstant } from '@callout/domain/values/instant';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import {
  findErrorLog,
  removeErrorLog,
  type ErrorLogScope,
  type StoredErrorLog,
} from '@callout/history/search/tables/error-logs';
import type { FoundRow } from '@callout/history/search/tables/table-search';
import { errorLogTable } from '@callout/history/search/tables/tables';
import type { ApiContext } from '../../api-context.ts';
import { item, itemId } from '../../http/api-response.ts';
import type { Caller } from '../../http/auth/caller.ts';
import type { EndpointAction } from '../../http/route/endpoint.ts';
import { pathId } from '../../http/route/path-id.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import type { UserAccess } from '../metadata/metadata-operations.ts';
import type { Item, Queried } from '../query/queried.ts';
import { addCollectionRoutes } from '../query/query-routes.ts';
import { rowItem, tableRows } from '../query/table-rows.ts';

const COLLECTION = 'WebhookEventErrorLogs';
const PATH = `/${COLLECTION}`;
const fields = metadataOf(errorLogFields);

/** The callouts without a further attempt: for the owner of the webhook, and for admins. */
export function addErrorLogRoutes(add: AddRoute, api: ApiContext): void {
  const { read: readers, write: writers } = rights.errorLogs;
  const restricted = (roles: typeof readers) => (caller: Caller) => by(roles, accessOf(caller))(caller);
  const { described, operations: schemas } = describeErrorLogs(COLLECTION, api.catalogue);
  const metadata: Metadata = {
    name: 'WebhookEventErrorLog',
    access: { create: null, query: restricted(readers), update: null, delete: restricted(writers) },
    fields: () => fields,
  };
  addMetadataRoutes(add, PATH, { metadata, described });
  addCollectionRoutes(add, PATH, { queried: queriedErrorLogs(api), described }, api);
  add(`${PATH}/:id`, {
    GET: { ...read(api), schema: schemas.read },
    DELETE: { ...remove(api), schema: schemas.remove },
  });
}

/** Rows of further owners are left out. */
function queriedErrorLogs(api: ApiContext): Queried {
  const collection = defineCollection(COLLECTION, fields);
  return {
    roles: rights.errorLogs.read,
    rowsFor: ({ caller }) => tableRows(api, collection, errorLogTable, scopeOf(caller), foundItem),
  };
}

/** As errorLogItem: the keys of further entities are left out, and nothing else is null. */
function foundItem(row: FoundRow): Item {
  return Object.fromEntries(Object.entries(rowItem(fields, row)).filter(([, value]) => value !== null));
}

function read({ database }: ApiContext): EndpointAction {
  return {
    roles: rights.errorLogs.read,
    isUntagged: true,
    async handle({ caller, params }) {
      const log = await findErrorLog(database, scopeOf(caller), pathId(params['id']));
      if (log === undefined) throw Problem.notFound();
      return item(errorLogItem(log));
    },
  };
}

function remove({ database }: ApiContext): EndpointAction {
  return {
    roles: rights.errorLogs.write,
    async handle({ caller, params }) {
      const id = pathId(params['id']);
      if (!(await removeErrorLog(database, scopeOf(caller), id))) throw Problem.notFound();
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

/** The error logs in the API's description. */
function describeErrorLogs(collection: string, catalogue: Catalogue) {
  const names = namesOf(collection);
  const described: DescribedCollection = {
    record: recordSchema(names.one, describedErrorLogFields(catalogue)),
    names,
    tags: collectionTags(spacedWords(names.one), {
      name: 'Error logs',
      group: 'Follow deliveries',
      place: 3,
      description: 'A row for each callout that used up its attempts.',
    }),
  };
  const operations = recordOperations(described);
  return {
    described,
    operations: {
      read: operations.read({
        description: 'Rows of webhooks of another owner are 404, unless the caller is an admin.',
      }),
      remove: operations.remove(),
    },
  };
}
