import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import { modesOf } from '@callout/domain/webhook/delivery-mode';
import type { WebhookCreate, WebhookSettings } from '@callout/domain/webhook/webhook';
import {
  markActivated,
  ownerIsInactive,
  refuseOneMoreActive,
  type ActivationRules,
} from '@callout/pipeline/deactivate/activation';
import { idAt, assignIds } from '@callout/database/tables/counters';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import type { Prisma } from '@callout/database/generated/client';
import { insertChildren, refuseMissingReferences, type ChildCollections } from './new-children.ts';
import { lockResources } from '@callout/pipeline/deactivate/references';
import { isReadyWith } from './readiness.ts';
import type { WebhookAddress } from '@callout/database/tables/webhook-address';
import { secretColumns } from './webhook-columns.ts';
import { removeWebhook, updateWebhook, type WebhookChange, type DueWebhooks } from './webhook-changes.ts';
import { recordChanges, type HistoryChange } from '@callout/pipeline/deactivate/webhook-history';

/** A webhook to be stored, with everything of its own. Its secret is encrypted already. */
export interface NewWebhook extends Omit<WebhookCreate, 'secretKey'> {
  tenantId: number;
  entityType: string;
  guid: string;
  ownerResourceId: number;
  sealedSecret: EncryptedSecret;
}

/** Names of the collections whose ids a create uses, and the limit it must keep. */
export interface CreateRules extends ActivationRules {
  children: ChildCollections;
}

/** A webhook as reads need it. */
export interface StoredWebhook extends WebhookSettings {
  id: number;
  guid: string;
  ownerResourceId: number;
  /** One entry per Field record, and per UdfField record. */
  fields: readonly { id: number; isSubscribedField: boolean }[];
  udfFields: readonly { id: number; isSubscribedField: boolean }[];
}

/** Each change names the resource that makes it, for the history and the deactivation call; null is an operator. */
export interface WebhookStore {
  /**
   * Stores a webhook with all its children, or nothing. @returns its id.
   * @throws a Problem: `invalid` for an unknown resource or user-defined field, `conflict` when it is to be active and
   * its owner is not, or the entity has as many active webhooks as it may.
   */
  create(webhook: NewWebhook, rules: CreateRules, actorResourceId: number | null): Promise<number>;
  /**
   * Changes settings. When it goes from active to inactive, its open callouts are cancelled and its deactivation call
   * is due; when it becomes active, its failures are forgotten.
   * @throws a Problem: `notFound` without such a webhook, `conflict` as for a create.
   */
  update(
    webhook: WebhookAddress,
    change: WebhookChange,
    rules: ActivationRules,
    actorResourceId: number | null,
  ): Promise<DueWebhooks>;
  /**
   * Deletes a webhook with its children; its open callouts are cancelled, and its deactivation call is due.
   * @throws a Problem `notFound` without such a webhook.
   */
  remove(webhook: WebhookAddress, actorResourceId: number | null): Promise<DueWebhooks>;
  find(tenantId: number, entityType: string, id: number): Promise<StoredWebhook | undefined>;
}

export function createWebhookStore(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>): WebhookStore {
  return {
    create: (webhook, rules, actorResourceId) =>
      database.transaction(async (transaction) => {
        const { models, sets } = transaction;
        const { tenantId, entityType } = webhook;
        const firstIds = await assignIds(sets, tenantId, {
          [rules.webhookCollection]: 1,
          [rules.children.fields]: webhook.fields.length,
          [rules.children.udfFields]: webhook.udfFields.length,
          [rules.children.excludedResources]: webhook.excludedResources.length,
        });
        const id = idAt(firstIds, rules.webhookCollection, 0);
        await checkReferences(sets, webhook);
        if (webhook.isActive) await refuseOneMoreActive(transaction, { tenantId, entityType, id }, rules);
        const { key } = await models.webhook.create({ data: columnsOf(webhook, id), select: { key: true } });
        if (webhook.isActive) await markActivated(transaction, key);
        await insertChildren(models, { tenantId, entityType, webhookKey: key }, webhook, rules.children, firstIds);
        const entry = { tenantId, webhookKey: Number(key), cause: 'user', actorResourceId } as const;
        await recordChanges(
          sets,
          firstChanges(webhook).map((change) => ({ ...entry, change })),
        );
        return id;
      }),

    update: (webhook, change, rules, actorResourceId) =>
      updateWebhook(database, webhook, change, rules, actorResourceId),
    remove: (webhook, actorResourceId) => removeWebhook(database, webhook, actorResourceId),

    async find(tenantId, entityType, id) {
      const found = await database.prisma.webhook.findUnique({
        where: { tenantId_entityType_id: { tenantId, entityType, id }, deletedAt: null },
        include: {
          fields: { select: { id: true, isSubscribedField: true } },
          udfFields: { select: { id: true, isSubscribedField: true } },
        },
      });
      return found ?? undefined;
    },
  };
}

/** Owner and excluded resources are locked together: all transactions lock resources in one order. */
async function checkReferences(transaction: SharedTransaction['sets'], webhook: NewWebhook): Promise<void> {
  const { tenantId, ownerResourceId, isActive, excludedResources } = webhook;
  const excludedIds = excludedResources.map(({ resourceId }) => resourceId);
  const resources = await lockResources(
    transaction,
    tenantId,
    isActive ? [ownerResourceId, ...excludedIds] : excludedIds,
  );
  if (isActive && resources.get(ownerResourceId)?.isActive !== true) throw ownerIsInactive();
  await refuseMissingReferences(transaction, tenantId, webhook, resources);
}

/** The beginning of a new webhook's history. */
function firstChanges(webhook: NewWebhook): HistoryChange[] {
  const isReadyNow = isReadyWith(webhook, webhook.fields.length + webhook.udfFields.length > 0);
  return ['created', ...(webhook.isActive ? ['activated' as const] : []), ...(isReadyNow ? ['ready' as const] : [])];
}

function columnsOf(webhook: NewWebhook, id: number): Prisma.WebhookUncheckedCreateInput {
  const { fields: _fields, udfFields: _udfFields, excludedResources: _excluded, sealedSecret, ...columns } = webhook;
  return { ...columns, ...modesOf(columns), id, ...secretColumns(sealedSecret) };
}
