import type { Actor } from '@callout/domain/changes/actor';
import type { FieldChange } from '@callout/domain/changes/field-changes';
import { bodyOf, ownLayout, type OwnCalloutOfWebhook } from '@callout/domain/callout/callout-body';
import { recordChanges, type ChangeCause, type NewChange } from '@callout/database/changes/record-changes';
import type { Transaction } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications, type Notification } from '../notify/store/notifications.ts';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

/**
 * Why webhooks are deactivated: a user set them inactive (`user`) or deleted them; their owner was deactivated or
 * deleted; their receiver failed too often, or answered 410 (`gone`).
 */
export type DeactivationCause =
  Extract<ChangeCause, 'user' | 'ownerDeactivated' | 'ownerDeleted' | 'repeatedFailure' | 'gone'> | 'deleted';

export interface Deactivation {
  webhookKeys: readonly number[];
  cause: DeactivationCause;
  /** Its resource is the person whom the call names to the receiver. */
  actor: Actor;
  /** What else the same change gave each webhook, or took from it; absent: nothing. */
  fields?: (webhookKey: number) => readonly FieldChange[];
}

/** A webhook that has just been deactivated, with the sequence number of its deactivation call. */
interface DeactivatedWebhook extends OwnCalloutOfWebhook {
  webhookKey: number;
  tenantId: number;
  entityType: string;
  id: number;
  sequenceNumber: number;
  at: Date;
  /** People were notified that its client certificate expires. */
  hasToldOfCertificate: boolean;
}

const makeInactive = statementFrom<DeactivatedWebhook>('deactivate/deactivation_make_inactive');

const lockCalls = statementFrom<{ count: number }>('deactivate/deactivation_lock_calls');

const storeCalls = statementFrom('deactivate/deactivation_store_calls');

interface Health {
  webhookKey: number;
  failedInRow: number;
  failingSince: Date | null;
  lastFailure: string | null;
}

const clearHealth = statementFrom<Health>('deactivate/deactivation_clear_health');

const countOpen = statementFrom<{ webhookKey: number; count: number }>('deactivate/deactivation_count_open');

const endHolding = statementFrom<{ webhookKey: number; held: number }>('deactivate/deactivation_end_holding');

/**
 * Deactivates webhooks, or deletes them when that is the cause. Each gets a deactivation call, due now, and from then
 * on only that call is claimed. The change is stored in the webhook's history, and its owner is notified unless a user
 * changed the webhook itself. Webhooks that are inactive already are skipped, unless they are deleted. Their open
 * callouts, possibly millions, are marked to be cancelled: `cancelOpenCallouts` does that after the commit. The
 * transaction must hold the row locks of these webhooks, taken in order of their keys (FOR NO KEY UPDATE). Their health
 * and then their open deactivation calls are locked here: a transaction that has locked open callouts already must have
 * locked these too.
 * @returns the webhooks whose call is due, to be enqueued once the transaction is committed.
 */
export async function deactivateWebhooks(
  transaction: Transaction,
  deactivation: Deactivation,
): Promise<{ dueWebhookKeys: number[] }> {
  const { webhookKeys, cause, actor } = deactivation;
  if (webhookKeys.length === 0) return { dueWebhookKeys: [] };
  const actorResourceId = actor.resourceId;
  const webhooks = await makeInactive(transaction, [webhookKeys, cause === 'deleted']);
  const keys = webhooks.map(({ webhookKey }) => webhookKey);
  if (keys.length === 0) return { dueWebhookKeys: [] };
  // Health is locked before callouts, in the order in which settle locks them.
  const health = new Map((await clearHealth(transaction, [keys])).map((row) => [row.webhookKey, row]));
  await lockCalls(transaction, [keys]);
  await storeCalls(transaction, callColumns(webhooks, actorResourceId));
  const open = isNotified(cause) ? await countOpen(transaction, [keys]) : [];
  const openUntilThen = new Map(open.map(({ webhookKey, count }) => [webhookKey, count]));
  const ended = webhooks.map((webhook) => {
    const { failedInRow = 0, failingSince = null, lastFailure = null } = health.get(webhook.webhookKey) ?? {};
    return {
      ...webhook,
      failedInRow,
      failingSince,
      lastFailure,
      openCallouts: openUntilThen.get(webhook.webhookKey) ?? 0,
    };
  });
  await recordChanges(transaction, changesOf(ended, deactivation));
  await storeNotifications(transaction, notificationsOf(ended, cause));
  await storeOccurrences(
    transaction,
    ended.map(({ webhookKey, lastFailure, failingSince, failedInRow }) => ({
      webhookKey,
      occurrence: 'deactivated',
      subject: 'delivery',
      actorResourceId,
      facts: { cause, reason: isFailure(cause) ? lastFailure : null, since: failingSince, failedInRow },
    })),
  );
  await sayWhatIsOver(transaction, ended, cause);
  return { dueWebhookKeys: keys };
}

/** What was reported of the webhooks and ends with them. A webhook that is only inactive keeps its client certificate. */
async function sayWhatIsOver(
  transaction: Transaction,
  webhooks: readonly DeactivatedWebhook[],
  cause: DeactivationCause,
): Promise<void> {
  const held = await endHolding(transaction, columns(webhooks, ['tenantId', 'entityType', 'webhookKey']));
  const notified = cause === 'deleted' ? webhooks.filter(({ hasToldOfCertificate }) => hasToldOfCertificate) : [];
  await storeOccurrences(transaction, [
    ...held.map(({ webhookKey, held: heldCount }) => ({
      webhookKey,
      occurrence: 'thresholdReleased' as const,
      subject: 'threshold' as const,
      facts: { heldCount },
    })),
    ...notified.map(({ webhookKey }) => ({
      webhookKey,
      occurrence: 'recovered' as const,
      subject: 'certificate' as const,
      facts: {},
    })),
  ]);
}

/** A webhook as it was when it was deactivated. */
interface EndedWebhook extends DeactivatedWebhook {
  failedInRow: number;
  failingSince: Date | null;
  lastFailure: string | null;
  openCallouts: number;
}

function callColumns(webhooks: readonly DeactivatedWebhook[], personId: number | null): unknown[][] {
  const calls = webhooks.map((webhook) => {
    const { id: webhookId, guid: webhookGuid, at: eventTime, entityType, sequenceNumber } = webhook;
    const id = newId();
    const envelope = { webhookGuid, entityType, recordId: webhookId, eventTime, sequenceNumber, personId };
    const body = bodyOf({ id, action: 'Deactivated', ...envelope }, null, ownLayout(webhook));
    return { ...webhook, id, webhookId, body };
  });
  return columns(calls, ['id', 'tenantId', 'webhookKey', 'sequenceNumber', 'entityType', 'webhookId', 'body']);
}

function changesOf(
  webhooks: readonly EndedWebhook[],
  { cause, actor, fields = () => [] }: Omit<Deactivation, 'webhookKeys'>,
): NewChange[] {
  const inactive = { field: 'isActive', from: true, to: false };
  const how: Pick<NewChange, 'action' | 'cause'> =
    cause === 'deleted'
      ? { action: 'deleted', cause: actor.kind === 'service' ? 'notFetched' : 'user' }
      : { action: 'deactivated', cause };
  return webhooks.map(({ tenantId, webhookKey, lastFailure }) => ({
    tenantId,
    entity: 'webhook',
    webhookKey,
    ...how,
    fields: cause === 'deleted' ? fields(webhookKey) : [...fields(webhookKey), inactive],
    actor,
    detail: isFailure(cause) ? lastFailure : null,
  }));
}

/** Whether the responses of the receiver were the reason. */
function isFailure(cause: DeactivationCause): boolean {
  return cause === 'repeatedFailure' || cause === 'gone';
}

/** A user who deactivates or deletes a webhook needs no mail about it. */
function isNotified(cause: DeactivationCause): cause is Exclude<DeactivationCause, 'user' | 'deleted'> {
  return cause !== 'user' && cause !== 'deleted';
}

function notificationsOf(webhooks: readonly EndedWebhook[], cause: DeactivationCause): Notification[] {
  if (!isNotified(cause)) return [];
  return webhooks.map(({ tenantId, webhookKey, sequenceNumber, at, openCallouts, ...health }) => ({
    tenantId,
    webhookKey,
    kind: 'deactivated',
    // The number of the deactivation call, since each deactivation has its own call.
    occasion: String(sequenceNumber),
    content: {
      cause,
      at,
      openCallouts,
      failedInRow: health.failedInRow,
      failingSince: health.failingSince,
      lastFailure: health.lastFailure,
    },
  }));
}
