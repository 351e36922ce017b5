import { Problem, type FieldValues } from '@callout/core';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { cancelSoon } from '../deactivate/cancel.ts';
import { statement } from '../connection/statement.ts';
import type { Woken } from '../webhooks/webhook-changes.ts';

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

/**
 * Lays values over those of a resource, for a resource (null: an operator). When it becomes inactive, so do the webhooks
 * that it owns.
 * @throws a Problem: 404 without such a resource, 409 when a resource would deactivate the tenant's last admin.
 */
export async function updateResource(
  pool: Pool,
  tenantId: number,
  id: number,
  changes: FieldValues,
  actorResourceId: number | null,
): Promise<Woken> {
  const woken = await inTransaction(pool, async (transaction) => {
    const becomesInactive = changes['isActive'] !== undefined && changes['isActive'] !== 'true';
    if (becomesInactive && actorResourceId !== null) await keepAnAdmin(transaction, tenantId, id);
    const resource = await lockResource(transaction, tenantId, id);
    const { email, isActive, ...fields } = changes;
    const becomes = {
      email: email ?? resource.email,
      isActive: isActive === undefined ? resource.isActive : isActive === 'true',
      fields: { ...resource.fields, ...fields },
    };
    // First, so that notices go to the address as it is now.
    await write(transaction, [tenantId, id, becomes.email, becomes.isActive, JSON.stringify(becomes.fields)]);
    if (!resource.isActive || becomes.isActive) return { wokenWebhookKeys: [] };
    const owned = await lockOwned(transaction, [tenantId, id]);
    return deactivateWebhooks(transaction, {
      webhookKeys: owned.map(({ key }) => key),
      cause: 'ownerDeactivated',
      actorResourceId,
    });
  });
  await cancelSoon(pool, woken.wokenWebhookKeys);
  return woken;
}

const markDeleted = statement(
  'resource_mark_deleted',
  'UPDATE resources SET is_active = false, deleted_at = now() WHERE (tenant_id, id) = ($1, $2)',
);

/**
 * Deletes a resource, whatever it still owns, for a resource (null: an operator): the webhooks it owns become inactive,
 * and the exclusions that name it go.
 * @throws a Problem: 404 without such a resource, 409 when a resource would delete the tenant's last admin.
 */
export async function removeResource(
  pool: Pool,
  tenantId: number,
  id: number,
  actorResourceId: number | null,
): Promise<Woken> {
  const woken = await inTransaction(pool, async (transaction) => {
    if (actorResourceId !== null) await keepAnAdmin(transaction, tenantId, id);
    await lockResource(transaction, tenantId, id);
    await markDeleted(transaction, [tenantId, id]);
    const webhooks = await lockConcerned(transaction, [tenantId, id]);
    await raiseVersions(transaction, [webhooks.filter(({ excludesIt }) => excludesIt).map(({ key }) => key)]);
    await dropExclusions(transaction, [tenantId, id]);
    return deactivateWebhooks(transaction, {
      webhookKeys: webhooks.filter(({ isOwned }) => isOwned).map(({ key }) => key),
      cause: 'ownerDeleted',
      actorResourceId,
    });
  });
  await cancelSoon(pool, woken.wokenWebhookKeys);
  return woken;
}

// In order of the id, and before any other lock: of two admins who deactivate each other, the second one waits here and
// then finds the first one gone.
const lockAdmins = statement<{ id: number }>(
  'resource_lock_admins',
  `SELECT id FROM resources r WHERE tenant_id = $1 AND is_active AND deleted_at IS NULL AND EXISTS (
     SELECT FROM credentials c WHERE (c.tenant_id, c.resource_id) = (r.tenant_id, r.id)
       AND c.role = 'admin' AND c.revoked_at IS NULL)
   ORDER BY id FOR UPDATE`,
);

/** Throws a Problem 409 when the tenant would be left without an admin who can sign in. */
async function keepAnAdmin(transaction: Transaction, tenantId: number, id: number): Promise<void> {
  const admins = await lockAdmins(transaction, [tenantId]);
  if (admins.length !== 1 || admins[0]?.id !== id) return;
  throw Problem.conflict(
    `Resource ${id} is the only active one with an admin credential: without it the tenant could not manage its ` +
      'resources any more. Activate another admin first, or ask an operator.',
  );
}

async function lockResource(transaction: Transaction, tenantId: number, id: number): Promise<LockedResource> {
  const [resource] = await lock(transaction, [tenantId, id]);
  if (resource === undefined) throw Problem.notFound();
  return resource;
}

// Both in order of the key, like everybody who locks webhooks. Those that are inactive already stay as they are.
const lockOwned = statement<{ key: number }>(
  'resource_lock_owned',
  `SELECT key FROM webhooks WHERE tenant_id = $1 AND owner_resource_id = $2 AND is_active AND deleted_at IS NULL
   ORDER BY key FOR NO KEY UPDATE`,
);

const lockConcerned = statement<{ key: number; isOwned: boolean; excludesIt: boolean }>(
  'resource_lock_concerned',
  `SELECT w.key, w.owner_resource_id = $2 AND w.is_active AS "isOwned", x.webhook_key IS NOT NULL AS "excludesIt"
   FROM webhooks w LEFT JOIN webhook_excluded_resources x ON x.webhook_key = w.key AND x.resource_id = $2
   WHERE w.tenant_id = $1 AND w.deleted_at IS NULL
     AND (w.owner_resource_id = $2 AND w.is_active OR x.webhook_key IS NOT NULL)
   ORDER BY w.key FOR NO KEY UPDATE OF w`,
);

const raiseVersions = statement(
  'resource_raise_versions',
  'UPDATE webhooks SET version = version + 1, updated_at = now() WHERE key = ANY($1::bigint[])',
);

const dropExclusions = statement(
  'resource_drop_exclusions',
  'DELETE FROM webhook_excluded_resources WHERE (tenant_id, resource_id) = ($1, $2)',
);
