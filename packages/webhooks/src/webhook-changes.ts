import { Problem } from '@callout/domain/problem/problem';
import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import { modesOf } from '@callout/domain/webhook/delivery-mode';
import type { WebhookSettings } from '@callout/domain/webhook/webhook';
import {
  lockForActivation,
  markActivated,
  ownerIsInactive,
  refuseOneMoreActive,
  type ActivationRules,
} from '@callout/pipeline/deactivate/activation';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { cancelSoon } from '@callout/pipeline/deactivate/cancel';
import { deactivateWebhooks } from '@callout/pipeline/deactivate/deactivation';
import { lockWebhook } from '@callout/database/tables/locked-webhook';
import { isReadyWith, withFieldRecords } from './readiness.ts';
import type { WebhookAddress } from '@callout/database/tables/webhook-address';
import { nextVersion, noPreviousSecret, secretColumns } from './webhook-columns.ts';
import { recordChanges, type HistoryChange } from '@callout/pipeline/deactivate/webhook-history';

/** Webhooks for which a callout has become due: to be enqueued now that the change is committed. */
export interface DueWebhooks {
  dueWebhookKeys: number[];
}

/** Settings to change, and the new secret where there is one, encrypted. */
export interface WebhookChange {
  settings: Partial<WebhookSettings>;
  sealedSecret?: EncryptedSecret | undefined;
}

/** Where webhooks are changed, and where the callouts of deactivated ones are cancelled. */
type Databases = Pick<Database, 'prisma' | 'transaction' | 'pool'>;

const settingColumns = {
  name: true,
  webhookUrl: true,
  deactivationUrl: true,
  isActive: true,
  isSubscribedToCreateEvents: true,
  isSubscribedToUpdateEvents: true,
  isSubscribedToDeleteEvents: true,
  notificationEmailAddress: true,
  sendThresholdExceededNotification: true,
} as const satisfies Record<keyof WebhookSettings, true>;

/**
 * Changes a webhook, for a resource. Equal values are no change, and make no new version.
 * @throws a Problem: `notFound` without such a webhook, `conflict` when it may not become active.
 */
export async function updateWebhook(
  database: Databases,
  address: WebhookAddress,
  { settings, sealedSecret }: WebhookChange,
  rules: ActivationRules,
  actorResourceId: number | null,
): Promise<DueWebhooks> {
  const mayActivate = settings.isActive === true;
  if (mayActivate) await cancelFirst(database, address);
  const due = await database.transaction(async (transaction) => {
    const { models, sets } = transaction;
    const isOwnerActive = mayActivate && (await lockForActivation(transaction, address, rules));
    const { key, now } = await lockWebhook(sets, address);
    const { isCancelling, ...before } = await models.webhook.findUniqueOrThrow({
      where: { key },
      select: { ...settingColumns, isCancelling: true },
    });
    const after = { ...before, ...settings };
    const becomesActive = after.isActive && !before.isActive;
    if (becomesActive) {
      if (isCancelling) throw stillCancelling();
      if (!isOwnerActive) throw ownerIsInactive();
      await refuseOneMoreActive(transaction, address, rules);
      // It begins with a clean slate: no failures counted, no pause.
      await models.webhookHealth.deleteMany({ where: { webhookKey: key } });
    }
    const isDeactivated = before.isActive && !after.isActive;
    // The rest is written first: the deactivation call goes to the address as it is now.
    const written = isDeactivated ? { ...after, isActive: true } : after;
    if (sealedSecret !== undefined || differs(before, written)) {
      // A secret that is changed here has no overlap: the previous one is deleted at once, and so is one that a
      // rotation kept.
      const secret = sealedSecret === undefined ? {} : { ...secretColumns(sealedSecret), ...noPreviousSecret };
      await models.webhook.update({
        where: { key },
        data: { ...written, ...modesOf(written), ...secret, ...nextVersion(now) },
      });
      if (becomesActive) await markActivated(transaction, key);
      const entry = { tenantId: address.tenantId, webhookKey: key, cause: 'user', actorResourceId } as const;
      const changes = await changesBetween(transaction, key, before, written);
      await recordChanges(
        sets,
        changes.map((change) => ({ ...entry, change })),
      );
    }
    if (!isDeactivated) return { dueWebhookKeys: [] };
    return deactivateWebhooks(sets, { webhookKeys: [key], cause: 'user', actorResourceId });
  });
  await cancelSoon(database.pool, due.dueWebhookKeys);
  return due;
}

/** Callouts that were open when the webhook was deactivated would go out again when it is activated. */
async function cancelFirst({ prisma, pool }: Databases, { tenantId, entityType, id }: WebhookAddress): Promise<void> {
  const where = { tenantId_entityType_id: { tenantId, entityType, id }, isCancelling: true };
  const webhook = await prisma.webhook.findUnique({ where, select: { key: true } });
  if (webhook !== null) await cancelSoon(pool, [Number(webhook.key)]);
}

/** `conflict`: there are more than a caller can wait for. */
function stillCancelling(): Problem {
  return Problem.conflict(
    'isActive must stay false for a moment: the callouts that were open when the webhook was deactivated are still being cancelled; try again in a few seconds',
    'isActive',
  );
}

/**
 * The effect of an update that does not deactivate on active and ready. The lock on the webhook protects its children
 * from changes.
 */
async function changesBetween(
  { models }: SharedTransaction,
  key: number,
  before: WebhookSettings,
  after: WebhookSettings,
): Promise<HistoryChange[]> {
  const changes: HistoryChange[] = after.isActive && !before.isActive ? ['activated'] : [];
  const hasFieldRecord = (await withFieldRecords(models, [key])).has(key);
  const isReadyNow = isReadyWith(after, hasFieldRecord);
  if (isReadyNow !== isReadyWith(before, hasFieldRecord)) changes.push(isReadyNow ? 'ready' : 'notReady');
  return changes;
}

/**
 * Deletes a webhook, for a resource: its row stays, for its last call and so that its id is never used again; its
 * children go.
 * @throws a Problem `notFound` without such a webhook.
 */
export async function removeWebhook(
  database: Databases,
  address: WebhookAddress,
  actorResourceId: number | null,
): Promise<DueWebhooks> {
  const due = await database.transaction(async ({ models, sets }) => {
    const { key } = await lockWebhook(sets, address);
    const ofWebhook = { where: { webhookKey: key } };
    await models.webhookField.deleteMany(ofWebhook);
    await models.webhookUdfField.deleteMany(ofWebhook);
    await models.webhookExcludedResource.deleteMany(ofWebhook);
    return deactivateWebhooks(sets, { webhookKeys: [key], cause: 'deleted', actorResourceId });
  });
  await cancelSoon(database.pool, due.dueWebhookKeys);
  return due;
}

function differs(before: WebhookSettings, after: WebhookSettings): boolean {
  return (Object.keys(settingColumns) as (keyof WebhookSettings)[]).some((key) => after[key] !== before[key]);
}
