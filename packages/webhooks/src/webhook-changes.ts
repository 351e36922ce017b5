import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges, type FieldChange } from '@callout/domain/changes/field-changes';
import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import type { WebhookSettings } from './settings/settings.ts';
import type { Database } from '@callout/database/connection/database';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { cancelSoon } from '@callout/pipeline/deactivate/cancel';
import { deactivateWebhooks, type DeactivationCause } from '@callout/pipeline/deactivate/deactivation';
import { lockWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import { lockForActivation, type ActivationRules } from './activation.ts';
import {
  derivedColumns,
  fromRow,
  nextVersion,
  noPreviousSecret,
  secretColumns,
  withFieldRecords,
  type StoredWebhook,
} from './webhook-columns.ts';
import type { ChangedReceiver } from './receiver-columns.ts';
import { holdSigningKey, type NewSigningKey } from './hold-signing-key.ts';
import { applyEffects } from './change-effects.ts';
import { judgeChange, type ActivationRefusal } from './webhook-change.rules.ts';
import { replacedSecrets, valuesOfWebhook, type WebhookRow } from './webhook-values.ts';

/** Webhooks for which a committed change has made a callout due: the caller enqueues the webhooks. */
export interface DueWebhooks {
  dueWebhookKeys: number[];
}

/** An update. The functions are called under the lock of the webhook, and again in each further try. */
export interface WebhookChange {
  settings: Partial<WebhookSettings>;
  /** Encrypts a new secret, which is bound to the guid of the webhook. */
  encryptSecret?: ((guid: string) => EncryptedSecret) | undefined;
  /** Encrypts changed request headers and authentication; undefined: both stay. An error refuses the change. */
  receiverColumns?: ((before: WebhookRow, now: Date) => ChangedReceiver | undefined) | undefined;
  /** When a private key is to sign: the key pair of a tenant without a key pair. */
  signingKey?: NewSigningKey | undefined;
  watch?: RowWatch<StoredWebhook> | undefined;
}

/** Where webhooks are changed, and where the callouts of deactivated webhooks are cancelled. */
type Databases = Pick<Database, 'prisma' | 'transaction' | 'pool'>;

/**
 * Changes a webhook. Equal values are no change, and make no new version. A deactivation cancels the open callouts and
 * makes the deactivation call due; an activation forgets the failures.
 * @throws a Problem: `notFound` without the webhook, what `rules.refused` returns when the webhook may not become active.
 */
export async function updateWebhook(
  database: Databases,
  address: WebhookAddress,
  change: WebhookChange,
  rules: ActivationRules,
  actor: Actor,
): Promise<DueWebhooks> {
  const update = () => tryToUpdate(database, address, change, rules, actor);
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
  actor: Actor,
): Promise<Updated> {
  return transaction(address.tenantId, async (shared): Promise<Updated> => {
    const { models, sets } = shared;
    const activation = settings.isActive === true ? await lockForActivation(shared, address, rules) : undefined;
    if (signingKey !== undefined) await holdSigningKey(sets, address.tenantId, signingKey, actor);
    const { key: webhookKey, guid, now } = await lockWebhook(sets, address);
    const stored = await readLocked(models, webhookKey);
    watch?.before?.(stored);
    const judged = judgeChange(stored, settings, activation);
    if (judged.kind === 'refused') return { webhookKey, dueWebhookKeys: [], refusal: judged.refusal };
    const { written, activates, deactivates } = judged;
    let fields: FieldChange[] = [];
    const receiver = receiverColumns?.(stored, now);
    const changed = new Map<string, unknown>([
      ...judged.changed,
      ...(encryptSecret === undefined ? [] : [['secretKey', undefined] as const]),
      ...(receiver?.hasNewCertificate === true ? [['receiverAuth', undefined] as const] : []),
    ]);
    if (changed.size > 0 || receiver !== undefined) {
      // A change of the secret has no overlap: the secret before, and the previous secret of a rotation, are deleted at
      // once.
      const secret = encryptSecret === undefined ? {} : { ...secretColumns(encryptSecret(guid)), ...noPreviousSecret };
      const after = await models.webhook.update({
        where: { key: webhookKey },
        data: { ...written, ...derivedColumns(written), ...secret, ...receiver?.columns, ...nextVersion(now) },
      });
      fields = changesOf(stored, after, receiver?.replacedSecrets);
      await applyEffects(shared, { webhookKey, stored, actor }, changed);
    }
    let dueWebhookKeys: number[] = [];
    if (deactivates) {
      const deactivation = { webhookKeys: [webhookKey], cause: 'user', actor, fields: () => fields } as const;
      ({ dueWebhookKeys } = await deactivateWebhooks(sets, deactivation));
    } else {
      const action = activates ? 'activated' : 'updated';
      await recordChanges(sets, [{ tenantId: address.tenantId, entity: 'webhook', webhookKey, action, actor, fields }]);
    }
    watch?.after?.(await readLocked(models, webhookKey));
    return { webhookKey, dueWebhookKeys };
  });
}

/** Reads a webhook that the transaction has locked. */
async function readLocked(models: SharedTransaction['models'], key: number) {
  return fromRow(await models.webhook.findUniqueOrThrow({ where: { key }, include: withFieldRecords }));
}

function changesOf(before: WebhookRow, after: WebhookRow, replaced: readonly string[] = []): FieldChange[] {
  return fieldChanges(
    { ...valuesOfWebhook(before), ...replacedSecrets(replaced, 'before') },
    { ...valuesOfWebhook(after), ...replacedSecrets(replaced, 'after') },
  );
}

/**
 * Makes a webhook inactive, or deletes the webhook: then the row stays, for the last call and so that the id is never
 * used again, and the children go. Open callouts are cancelled, and the deactivation call is due.
 * @throws a Problem `notFound` without the webhook.
 */
export async function endWebhook(
  { transaction, pool }: Databases,
  address: WebhookAddress,
  cause: Extract<DeactivationCause, 'user' | 'deleted'>,
  actor: Actor,
  watch?: RowWatch<StoredWebhook>,
): Promise<DueWebhooks> {
  const due = await transaction(address.tenantId, async ({ models, sets }) => {
    const { key } = await lockWebhook(sets, address);
    const stored = await readLocked(models, key);
    watch?.before?.(stored);
    if (cause === 'deleted') {
      const ofWebhook = { where: { webhookKey: key } };
      await models.webhookField.deleteMany(ofWebhook);
      await models.webhookUdfField.deleteMany(ofWebhook);
      await models.webhookExcludedResource.deleteMany(ofWebhook);
    }
    const ended = await deactivateWebhooks(sets, {
      webhookKeys: [key],
      cause,
      actor,
      fields: () => (cause === 'deleted' ? fieldChanges(valuesOfWebhook(stored), null) : []),
    });
    if (watch?.after !== undefined && cause !== 'deleted') watch.after(await readLocked(models, key));
    return ended;
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due;
}
