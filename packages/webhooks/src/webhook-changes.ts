import { modesOf } from '@callout/domain/webhook/delivery-mode';
import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import type { WebhookSettings } from '@callout/domain/webhook/webhook';
import type { Database } from '@callout/database/connection/database';
import type { Prisma } from '@callout/database/generated/client';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { cancelSoon } from '@callout/pipeline/deactivate/cancel';
import { deactivateWebhooks, type DeactivationCause } from '@callout/pipeline/deactivate/deactivation';
import { lockWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import { lockForActivation, markActivated, type ActivationRules } from './activation.ts';
import {
  fromRow,
  nextVersion,
  noPreviousSecret,
  secretColumns,
  withFieldRecords,
  type StoredWebhook,
} from './webhook-columns.ts';
import type { ReceiverColumns } from './receiver-columns.ts';
import { recordRotation } from './record-rotation.ts';
import { holdSigningKey, type NewSigningKey } from './hold-signing-key.ts';
import { judgeChange, occurrencesOfChange, type ActivationRefusal } from './webhook-change.rules.ts';
import { forgetRate } from '@callout/pipeline/rate/limited-calls';
import { recordChanges } from '@callout/pipeline/deactivate/webhook-history';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';

/** Webhooks for which a callout has become due: to be enqueued now that the change is committed. */
export interface DueWebhooks {
  dueWebhookKeys: number[];
}

/** The row of a webhook. */
type StoredRow = Prisma.WebhookGetPayload<object>;

/** What an update changes. The functions are called under the lock of the webhook, and again when that is tried again. */
export interface WebhookChange {
  settings: Partial<WebhookSettings>;
  /** Encrypts a new secret, which is bound to the guid of its webhook. */
  encryptSecret?: ((guid: string) => EncryptedSecret) | undefined;
  /** Encrypts changed request headers and authentication; undefined: they stay. What it throws refuses the change. */
  receiverColumns?: ((before: StoredRow, now: Date) => ReceiverColumns | undefined) | undefined;
  /** When a private key is to sign: the key pair of the tenant, if it has none yet. */
  signingKey?: NewSigningKey | undefined;
  watch?: RowWatch<StoredWebhook> | undefined;
}

/** Where webhooks are changed, and where the callouts of deactivated ones are cancelled. */
type Databases = Pick<Database, 'prisma' | 'transaction' | 'pool'>;

/**
 * Changes a webhook, for a resource (null: an operator). Equal values are no change, and make no new version. When it
 * goes from active to inactive, its open callouts are cancelled and its deactivation call is due; when it becomes
 * active, its failures are forgotten.
 * @throws a Problem: `notFound` without such a webhook, what `rules.refused` returns when it may not become active.
 */
export async function updateWebhook(
  database: Databases,
  address: WebhookAddress,
  change: WebhookChange,
  rules: ActivationRules,
  actorResourceId: number | null,
): Promise<DueWebhooks> {
  const update = () => tryToUpdate(database, address, change, rules, actorResourceId);
  let updated = await update();
  if (updated.refusal?.kind === 'stillCancelling') {
    await cancelSoon(database.pool, [updated.webhookKey]);
    updated = await update();
  }
  const { refusal, dueWebhookKeys } = updated;
  if (refusal !== undefined) throw rules.refused(refusal);
  await cancelSoon(database.pool, dueWebhookKeys);
  return { dueWebhookKeys };
}

interface Updated extends DueWebhooks {
  webhookKey: number;
  /** Why nothing was changed. */
  refusal?: ActivationRefusal;
}

function tryToUpdate(
  { transaction }: Databases,
  address: WebhookAddress,
  { settings, encryptSecret, receiverColumns, signingKey, watch }: WebhookChange,
  rules: ActivationRules,
  actorResourceId: number | null,
): Promise<Updated> {
  return transaction(address.tenantId, async (shared): Promise<Updated> => {
    const { models, sets } = shared;
    const activation = settings.isActive === true ? await lockForActivation(shared, address, rules) : undefined;
    if (signingKey !== undefined) await holdSigningKey(sets, address.tenantId, signingKey);
    const { key: webhookKey, guid, now } = await lockWebhook(sets, address);
    const stored = await readLocked(models, webhookKey);
    watch?.before?.(stored);
    const before = { ...stored, fieldRecords: stored.fields.length + stored.udfFields.length };
    const judged = judgeChange(before, settings, activation);
    if (judged.kind === 'refused') return { webhookKey, dueWebhookKeys: [], refusal: judged.refusal };
    const { written, activates, deactivates, history } = judged;
    // It begins with a clean slate: no failures counted, no pause.
    if (activates) await models.webhookHealth.deleteMany({ where: { webhookKey } });
    const changed = receiverColumns?.(stored, now);
    const hasOtherCertificate = changed?.certificateExpiresAt?.getTime() !== stored.certificateExpiresAt?.getTime();
    const receiver = changed && (hasOtherCertificate ? changed : { ...changed, ...certificateOf(stored) });
    if (encryptSecret !== undefined || receiver !== undefined || judged.differs) {
      // A secret that is changed here has no overlap: the previous one is deleted at once, and so is one that a
      // rotation kept.
      const secret = encryptSecret === undefined ? {} : { ...secretColumns(encryptSecret(guid)), ...noPreviousSecret };
      const modes = modesOf({ ...before, ...written });
      await models.webhook.update({
        where: { key: webhookKey },
        data: { ...written, ...modes, ...secret, ...receiver, ...nextVersion(now) },
      });
      if (activates) await markActivated(shared, webhookKey);
      const rate = written.maxCallsPerSecond;
      if (rate !== undefined && rate !== before.maxCallsPerSecond) await forgetRate(sets, webhookKey);
      const entry = { tenantId: address.tenantId, webhookKey, cause: 'user', actorResourceId } as const;
      await recordChanges(
        sets,
        history.map((one) => ({ ...entry, change: one })),
      );
      const happened = occurrencesOfChange({
        isReactivated: activates && stored.activatedAt !== null,
        hasNewCertificate: receiver !== undefined && hasOtherCertificate && stored.certificateToldDays !== null,
      });
      await storeOccurrences(
        sets,
        happened.map((one) => ({ ...one, webhookKey, actorResourceId, facts: {} })),
      );
      if (encryptSecret !== undefined) {
        const { tenantId } = address;
        await recordRotation(sets, [webhookKey], {
          tenantId,
          replaced: 'secret',
          previousUntil: null,
          actorResourceId,
        });
      }
    }
    const due = deactivates
      ? await deactivateWebhooks(sets, { webhookKeys: [webhookKey], cause: 'user', actorResourceId })
      : { dueWebhookKeys: [] };
    watch?.after?.(await readLocked(models, webhookKey));
    return { webhookKey, ...due };
  });
}

/** A webhook that this transaction has locked. */
async function readLocked(models: SharedTransaction['models'], key: number) {
  return fromRow(await models.webhook.findUniqueOrThrow({ where: { key }, include: withFieldRecords }));
}

/** What is known of a client certificate that stays: that it expires is not announced again. */
function certificateOf({ certificateExpiresAt, certificateToldDays }: Certificate): Certificate {
  return { certificateExpiresAt, certificateToldDays };
}

interface Certificate {
  readonly certificateExpiresAt: Date | null;
  readonly certificateToldDays: number | null;
}

/**
 * Makes a webhook inactive, or deletes it: then its row stays, for its last call and so that its id is never used
 * again, and its children go. Its open callouts are cancelled, and its deactivation call is due.
 * @throws a Problem `notFound` without such a webhook.
 */
export async function endWebhook(
  { transaction, pool }: Databases,
  address: WebhookAddress,
  cause: Extract<DeactivationCause, 'user' | 'deleted'>,
  actorResourceId: number | null,
  watch?: RowWatch<StoredWebhook>,
): Promise<DueWebhooks> {
  const due = await transaction(address.tenantId, async ({ models, sets }) => {
    const { key } = await lockWebhook(sets, address);
    if (watch?.before !== undefined) watch.before(await readLocked(models, key));
    if (cause === 'deleted') {
      const ofWebhook = { where: { webhookKey: key } };
      await models.webhookField.deleteMany(ofWebhook);
      await models.webhookUdfField.deleteMany(ofWebhook);
      await models.webhookExcludedResource.deleteMany(ofWebhook);
    }
    const ended = await deactivateWebhooks(sets, { webhookKeys: [key], cause, actorResourceId });
    if (watch?.after !== undefined && cause !== 'deleted') watch.after(await readLocked(models, key));
    return ended;
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due;
}
