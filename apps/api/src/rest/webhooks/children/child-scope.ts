import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { ChildInputContext } from '@callout/webhooks/input/child-input';
import type { ChildScope } from '@callout/webhooks/child-tables';
import type { ParentWebhook } from '@callout/webhooks/children';
import { findWebhook } from '@callout/webhooks/webhooks';
import type { ApiContext } from '../../../api-context.ts';
import type { Call } from '../../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../../http/route/path-id.ts';
import { loadUserDefinedFields } from '../../events/user-defined-fields.ts';
import type { ChildKind } from './child-kinds.ts';

/** The webhook that the path names. Throws a 404 Problem when it can name none. */
export function parentOf(call: Call, entity: EntityDefinition): ParentWebhook {
  return { ...scopeOf(call, entity), webhookId: pathId(call.params['parentId'], MAX_SMALL_ID) };
}

/** The webhook of the path, or at a root twin all webhooks of the entity. */
export function scopeOf({ caller, params }: Call, { entityType }: EntityDefinition): ChildScope {
  const scope = { tenantId: caller.tenantId, entityType };
  const { parentId } = params;
  return parentId === undefined ? scope : { ...scope, webhookId: pathId(parentId, MAX_SMALL_ID) };
}

/**
 * Throws a 404 Problem when the path names an unknown webhook. Runs before the body is read: the body refers to the
 * caller's data, which would be missed first when the webhook is another tenant's.
 */
export async function checkParent({ database }: ApiContext, call: Call, entity: EntityDefinition): Promise<void> {
  const { tenantId, entityType, webhookId } = scopeOf(call, entity);
  if (webhookId === undefined) return;
  if ((await findWebhook(database, tenantId, entityType, webhookId)) === undefined) throw Problem.notFound();
}

/** The possible subjects in a body: the catalogue's fields and, for kinds that name them, the tenant's own. */
export async function contextOf(
  api: ApiContext,
  call: Call,
  entity: EntityDefinition,
  kind: ChildKind,
): Promise<ChildInputContext> {
  const { tenantId, webhookId } = scopeOf(call, entity);
  const userDefinedFields = kind.namesUserDefinedFields ? (await loadUserDefinedFields(api, tenantId))(entity).all : [];
  return { entity, userDefinedFields, parentId: webhookId };
}
