import { Problem, type FieldValues } from '@callout/core';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from './database.ts';
import { cancelOpenCallouts } from './delivery/cancel.ts';
import { statement } from './statement.ts';

interface LockedResource {
  email: string;
  isActive: boolean;
  fields: FieldValues;
}

// Whoever makes a webhook active, or excludes this resource, holds a share of this lock: it is either done, and seen
// below, or it waits and then sees the resource as it has become.
const lock = statement<LockedResource>(
  'resource_lock',
  `SELECT email, is_active AS "isActive", fields FROM resources
   WHERE (tenant_id, id) = ($1, $2) AND deleted_at IS NULL FOR UPDATE`,
);

const write = statement(
  'resource_write',
  'UPDATE resources SET email = $3, is_active = $4, fields = $5 WHERE (tenant_id, id) = ($1, $2)',
);

/** Lays values over those of a resource. @throws a Problem 404 without such a resource. */
export async function updateResource(pool: Pool, tenantId: number, id: number, changes: FieldValues): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    const resource = await lockResource(transaction, tenantId, id);
    const { email, isActive, ...fields } = changes;
    const becomes = {
      email: email ?? resource.email,
      isActive: isActive === undefined ? resource.isActive : isActive === 'true',
      fields: { ...resource.fields, ...fields },
    };
    if (resource.isActive && !becomes.isActive) await shutWebhooks(transaction, tenantId, id, { isGone: false });
    await write(transaction, [tenantId, id, becomes.email, becomes.isActive, JSON.stringify(becomes.fields)]);
  });
}

const markDeleted = statement(
  'resource_mark_deleted',
  'UPDATE resources SET is_active = false, deleted_at = now() WHERE (tenant_id, id) = ($1, $2)',
);

/** Deletes a resource, whatever it still owns. @throws a Problem 404 without such a resource. */
export async function removeResource(pool: Pool, tenantId: number, id: number): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await lockResource(transaction, tenantId, id);
    await shutWebhooks(transaction, tenantId, id, { isGone: true });
    await markDeleted(transaction, [tenantId, id]);
  });
}

async function lockResource(transaction: Transaction, tenantId: number, id: number): Promise<LockedResource> {
  const [resource] = await lock(transaction, [tenantId, id]);
  if (resource === undefined) throw Problem.notFound();
  return resource;
}

// In order of the key, like everybody who locks webhooks.
const lockWebhooks = statement<{ key: number; isOwned: boolean }>(
  'resource_lock_webhooks',
  `SELECT w.key, w.owner_resource_id = $2 AND w.is_active AS "isOwned" FROM webhooks w
   WHERE w.tenant_id = $1 AND w.deleted_at IS NULL AND (w.owner_resource_id = $2 AND w.is_active
     OR $3 AND w.key IN (SELECT x.webhook_key FROM webhook_excluded_resources x WHERE (x.tenant_id, x.resource_id) = ($1, $2)))
   ORDER BY w.key FOR NO KEY UPDATE OF w`,
);

const changeWebhooks = statement(
  'resource_change_webhooks',
  `UPDATE webhooks SET is_active = is_active AND key <> ALL($2::bigint[]), version = version + 1, updated_at = now()
   WHERE key = ANY($1::bigint[])`,
);

const dropExclusions = statement(
  'resource_drop_exclusions',
  'DELETE FROM webhook_excluded_resources WHERE (tenant_id, resource_id) = ($1, $2)',
);

/** Deactivates the active webhooks that a resource owns; when it is gone, the exclusions that name it go as well. */
async function shutWebhooks(
  transaction: Transaction,
  tenantId: number,
  resourceId: number,
  { isGone }: { isGone: boolean },
): Promise<void> {
  const webhooks = await lockWebhooks(transaction, [tenantId, resourceId, isGone]);
  if (webhooks.length === 0) return;
  const owned = webhooks.filter(({ isOwned }) => isOwned).map(({ key }) => key);
  await changeWebhooks(transaction, [webhooks.map(({ key }) => key), owned]);
  if (isGone) await dropExclusions(transaction, [tenantId, resourceId]);
  await cancelOpenCallouts(transaction, owned);
}
