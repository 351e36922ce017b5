import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { refuseOtherFieldId, type UpdateMethod } from '@callout/webhooks/input/webhook-children';
import { createChild, findChild, removeChild, updateChild } from '@callout/webhooks/children';
import type { StoredChild } from '@callout/webhooks/child-tables';
import { actorOf } from '../../../http/auth/caller.ts';
import type { ApiContext } from '../../../api-context.ts';
import { item, itemId } from '../../../http/api-response.ts';
import { tagOfValues } from '../../../http/conditional/entity-tag.ts';
import { versionedWrite, withTag } from '../../../http/conditional/preconditions.ts';
import type { Call, EndpointAction, Methods } from '../../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, optionalPathId, pathId } from '../../../http/route/path-id.ts';
import { readUpdate } from '../../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { rights } from '../../../http/auth/rights.ts';
import { ownWebhook } from '../../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { addMetadataRoutes } from '../../metadata/metadata-routes.ts';
import { addCollectionRoutes } from '../../query/query-routes.ts';
import { childCollections, childKinds, type ChildKind } from './child-kinds.ts';
import { childOperations, describedChildren, rootTwinOperations } from './child-operations.ts';
import { childMetadata } from './child-metadata.ts';
import { checkParent, contextOf, parentOf, scopeOf } from './child-scope.ts';
import { queriedChildren } from './queried-children.ts';

/** One kind of children of one entity's webhooks, and the name of the collection that numbers them. */
interface Children {
  readonly entity: EntityDefinition;
  readonly kind: ChildKind;
  readonly collection: string;
}

/**
 * The children of webhooks: under their webhook, such as `/CompanyWebhooks/3/Fields`, and at the root, such as
 * `/CompanyWebhookFields`, where they can be read and created only. Must come after the metadata of webhooks, whose
 * path `/CompanyWebhooks/entityInformation/fields` looks like one of these.
 */
export function addChildRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    for (const kind of childKinds.filter((one) => one.isOf(entity))) {
      const children = { entity, kind, collection: childCollections(entity)[kind.kind] };
      addUnderWebhook(add, api, children);
      addRootTwin(add, api, children);
    }
  }
}

function addUnderWebhook(add: AddRoute, api: ApiContext, children: Children): void {
  const { entity, kind, collection } = children;
  const path = `/${entity.webhookCollection}/:parentId/${kind.segment}`;
  const described = describedChildren(entity, kind).underWebhook;
  const schemas = childOperations(entity, kind, described);
  const portal = ownWebhook(entity, 'parentId');
  const updates = (form: 'byBody' | 'byPath'): Methods =>
    kind.parseUpdate === null
      ? {}
      : {
          PATCH: { ...update(api, children, 'PATCH'), portal, schema: schemas.update[form] },
          PUT: { ...update(api, children, 'PUT'), portal, schema: schemas.replace[form] },
        };
  const metadata = {
    ...childMetadata(api, entity, kind, collection, 'underWebhook'),
    portal,
    checkPath: (call: Call) => checkParent(api, call, entity),
  };
  addMetadataRoutes(add, path, { metadata, described });
  const queried = { ...queriedChildren(api, entity, kind, collection), portal };
  addCollectionRoutes(add, path, { queried, described }, api, {
    POST: { ...create(api, children), portal, schema: schemas.create },
    ...updates('byBody'),
  });
  add(`${path}/:id`, {
    GET: { ...read(api, children), portal, schema: schemas.read },
    ...updates('byPath'),
    DELETE: { ...remove(api, children), portal, schema: schemas.remove },
  });
}

function addRootTwin(add: AddRoute, api: ApiContext, children: Children): void {
  const { entity, kind, collection } = children;
  const path = `/${collection}`;
  const described = describedChildren(entity, kind).rootTwin;
  const schemas = rootTwinOperations(entity, kind, described);
  addMetadataRoutes(add, path, { metadata: childMetadata(api, entity, kind, collection, 'rootTwin'), described });
  addCollectionRoutes(add, path, { queried: queriedChildren(api, entity, kind, collection), described }, api, {
    POST: { ...create(api, children), schema: schemas.create },
  });
  add(`${path}/:id`, { GET: { ...read(api, children), schema: schemas.read } });
}

function read(api: ApiContext, { entity, kind }: Children): EndpointAction {
  return {
    roles: rights.webhooks.read,
    async handle(call) {
      const child = await findChild(
        api.database,
        kind.kind,
        scopeOf(call, entity),
        pathId(call.params['id'], MAX_SMALL_ID),
      );
      if (child === undefined) throw Problem.notFound();
      return withTag(item(childItem(kind, child)), tagOfChild(kind)(child));
    },
  };
}

function create(api: ApiContext, { entity, kind, collection }: Children): EndpointAction {
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      await checkParent(api, call, entity);
      const { webhookId, child } = kind.parseCreate(call.body, await contextOf(api, call, entity, kind));
      const parent = { ...scopeOf(call, entity), webhookId: knownId(webhookId) };
      const unknownNames = unknownKeysOf(call.body, kind.keys);
      refuseWhenStrict(call, unknownNames);
      const { watch, tagged } = versionedWrite({}, tagOfChild(kind));
      const id = await createChild(api.database, kind.kind, parent, child, collection, actorOf(call.caller), watch);
      return tagged(itemId(id, [], unknownNames));
    },
  };
}

function update(api: ApiContext, { entity, kind }: Children, method: UpdateMethod): EndpointAction {
  return {
    roles: rights.webhooks.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      await checkParent(api, call, entity);
      const parent = parentOf(call, entity);
      const idInPath = optionalPathId(call.params['id']);
      const context = await contextOf(api, call, entity, kind);
      const exists = async (id: number) => (await findChild(api.database, kind.kind, parent, id)) !== undefined;
      const changed = await readUpdate({ params: call.params, body: call.body, exists }, () =>
        kind.parseUpdate?.(method, call.body, context, idInPath),
      );
      if (changed === undefined) throw new Error(`${kind.segment} cannot be updated`);
      const stored = await findChild(api.database, kind.kind, parent, knownId(changed.id));
      if (stored === undefined || stored.flags === null) throw Problem.notFound();
      refuseOtherFieldId(changed, stored.targetId, kind.idKey);
      const unknownNames = unknownKeysOf(call.body, kind.keys);
      refuseWhenStrict(call, unknownNames);
      const { watch, tagged } = versionedWrite(call.preconditions, tagOfChild(kind));
      await updateChild(api.database, kind.kind, parent, stored.id, changed.changes, actorOf(call.caller), watch);
      return tagged(itemId(stored.id, [], unknownNames));
    },
  };
}

function remove(api: ApiContext, { entity, kind }: Children): EndpointAction {
  return {
    roles: rights.webhooks.write,
    async handle(call) {
      const id = pathId(call.params['id'], MAX_SMALL_ID);
      const { watch } = versionedWrite(call.preconditions, tagOfChild(kind));
      await removeChild(api.database, kind.kind, parentOf(call, entity), id, actorOf(call.caller), watch);
      return itemId(id);
    },
  };
}

/** A child as reads show it. */
function childItem({ idKey }: ChildKind, { id, webhookId, targetId, flags }: StoredChild) {
  return {
    id,
    webhookID: webhookId,
    [idKey]: targetId,
    ...(flags && { isSubscribedField: flags.isSubscribed, isDisplayAlwaysField: flags.isDisplayAlways }),
  };
}

/** The entity tag of a child. All that a write can change is shown, so equal values are one version. */
const tagOfChild = (kind: ChildKind) => (child: StoredChild) => tagOfValues(childItem(kind, child));
