import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import type { WebhookCreate } from './input/webhook-input.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import { idAt, assignIds } from '@callout/database/counters';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import type { Prisma } from '@callout/database/generated/client';
import type { RowWatch } from '@callout/database/row-watch';
import { insertChildren, refuseMissingReferences, type ChildCollections } from './new-children.ts';
import { lockResources } from '@callout/pipeline/deactivate/references';
import { activationOf, markActivated, type ActivationRules } from './activation.ts';
import { derivedColumns, fromRow, secretColumns, withFieldRecords, type StoredWebhook } from './webhook-columns.ts';
import type { ReceiverColumns } from './receiver-columns.ts';
import { holdSigningKey, type NewSigningKey } from './hold-signing-key.ts';
import { creationRefusal, refusalOf } from './webhook-change.rules.ts';
import { valuesOfChildren, valuesOfWebhook } from './webhook-values.ts';

/** A webhook to be stored, with children and encrypted secrets. */
export interface NewWebhook extends Omit<WebhookCreate, 'secretKey' | 'receiver'>, Partial<ReceiverColumns> {
  tenantId: number;
  entityType: string;
  guid: string;
  ownerResourceId: number;
  encryptedSecret: EncryptedSecret;
  /** For a webhook that a private key signs for: the key pair of a tenant without a key pair. */
  signingKey?: NewSigningKey | undefined;
}

/** Names of the collections whose ids a create uses, and the limit of active webhooks. */
export interface CreateRules extends ActivationRules {
  children: ChildCollections;
}

/**
 * Stores a webhook with all its children, or nothing. @returns its id.
 * @throws a Problem: `invalid` for an unknown resource or user-defined field, what `rules.refused` returns for too many
 * webhooks, or for an active webhook that may not be active.
 */
export function createWebhook(
  database: Pick<Database, 'transaction'>,
  webhook: NewWebhook,
  rules: CreateRules,
  actor: Actor,
  watch?: Pick<RowWatch<StoredWebhook>, 'after'>,
): Promise<number> {
  return database.transaction(webhook.tenantId, async (transaction) => {
    const { models, sets } = transaction;
    const { tenantId, entityType, isActive } = webhook;
    const firstIds = await assignIds(sets, tenantId, {
      [rules.webhookCollection]: 1,
      [rules.children.fields]: webhook.fields.length,
      [rules.children.udfFields]: webhook.udfFields.length,
      [rules.children.excludedResources]: webhook.excludedResources.length,
    });
    const id = idAt(firstIds, rules.webhookCollection, 0);
    // Under the lock of the counter, which each create holds.
    const existing = await models.webhook.count({ where: { tenantId, entityType, deletedAt: null } });
    const tooMany = creationRefusal(existing, rules.maxActivePerEntity);
    if (tooMany) throw rules.refused(tooMany);
    const isOwnerActive = await checkReferences(sets, webhook);
    const address = { tenantId, entityType, id };
    const refusal = isActive && refusalOf(await activationOf(models, address, rules, isOwnerActive));
    if (refusal) throw rules.refused(refusal);
    if (webhook.signingKey !== undefined) await holdSigningKey(sets, tenantId, webhook.signingKey, actor);
    const row = await models.webhook.create({ data: columnsOf(webhook, id) });
    const { key } = row;
    if (isActive) await markActivated(transaction, key);
    await insertChildren(models, { tenantId, entityType, webhookKey: key }, webhook, rules.children, firstIds);
    const fields = fieldChanges(null, { ...valuesOfWebhook(row), ...valuesOfChildren(webhook) });
    await recordChanges(sets, [{ tenantId, entity: 'webhook', webhookKey: key, action: 'created', actor, fields }]);
    const stored = { where: { key }, include: withFieldRecords };
    watch?.after?.(fromRow(await models.webhook.findUniqueOrThrow(stored)));
    return id;
  });
}

/** A webhook that is not deleted. */
export async function findWebhook(
  { prisma }: Pick<Database, 'prisma'>,
  tenantId: number,
  entityType: string,
  id: number,
): Promise<StoredWebhook | undefined> {
  const row = await prisma.webhook.findUnique({
    where: { tenantId_entityType_id: { tenantId, entityType, id }, deletedAt: null },
    include: withFieldRecords,
  });
  return row === null ? undefined : fromRow(row);
}

/**
 * Locks what a new webhook refers to. Owner and excluded resources are locked together: all transactions lock resources
 * in one order. @returns whether the owner is active, where the webhook is to be.
 */
async function checkReferences(transaction: SharedTransaction['sets'], webhook: NewWebhook): Promise<boolean> {
  const { tenantId, ownerResourceId, isActive, excludedResources } = webhook;
  const excludedIds = excludedResources.map(({ resourceId }) => resourceId);
  const resources = await lockResources(
    transaction,
    tenantId,
    isActive ? [ownerResourceId, ...excludedIds] : excludedIds,
  );
  await refuseMissingReferences(transaction, tenantId, webhook, resources);
  return resources.get(ownerResourceId)?.isActive === true;
}

function columnsOf(webhook: NewWebhook, id: number): Prisma.WebhookUncheckedCreateInput {
  const { fields: _fields, udfFields: _udfFields, excludedResources: _excluded, ...withoutChildren } = webhook;
  const { encryptedSecret, signingKey: _ofTenant, ...columns } = withoutChildren;
  return { ...columns, ...derivedColumns(columns), id, ...secretColumns(encryptedSecret) };
}
