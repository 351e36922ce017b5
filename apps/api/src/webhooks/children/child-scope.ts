import type { EntityDefinition } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import type { ChildInputContext } from '@callout/core/webhook';
import type { ChildScope, ParentWebhook, WebhookStore } from '@callout/db/webhooks';
import type { Call } from '../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path/path-id.ts';
import { loadUserDefinedFields, type UserDefinedFieldDeps } from '../../tenants/udf/user-defined-fields.ts';
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
 * Throws a 404 Problem when the path names a webhook that is not there. Before the body is read: what a body may refer to
 * is the caller's, and would be missed first when the webhook is another tenant's.
 */
export async function checkParent(
  { webhooks }: { webhooks: Pick<WebhookStore, 'find'> },
  call: Call,
  entity: EntityDefinition,
): Promise<void> {
  const { tenantId, entityType, webhookId } = scopeOf(call, entity);
  if (webhookId === undefined) return;
  if ((await webhooks.find(tenantId, entityType, webhookId)) === undefined) throw Problem.notFound();
}

/** What a body may refer to: the catalogue's fields and, where its kind names them, the tenant's own. */
export async function contextOf(
  deps: UserDefinedFieldDeps,
  call: Call,
  entity: EntityDefinition,
  kind: ChildKind,
): Promise<ChildInputContext> {
  const { tenantId, webhookId } = scopeOf(call, entity);
  const userDefinedFields = kind.namesUserDefinedFields
    ? (await loadUserDefinedFields(deps, tenantId))(entity).all
    : [];
  return { entity, userDefinedFields, parentId: webhookId };
}
