import { isReady } from '../match/match.ts';
import { subscriptionFaults } from '../match/subscription-faults.ts';
import { lackingKeys } from './lacking-keys.ts';
import { missingKeyMessage } from './waits-for.ts';
import type { WebhookStatus } from './webhook-status.ts';

/** Something that keeps a webhook from getting callouts, or some of them. */
export interface ReadinessReason {
  readonly code:
    | 'inactive'
    | 'ownerInactive'
    | 'noFieldRecord'
    | 'subscribedToNothing'
    | 'noSubscribedField'
    | 'secretKeyMissing'
    | 'receiverPaused'
    | 'receiverFailing'
    | 'held';
  /** A sentence that says what it means and what to do. */
  readonly message: string;
  /** Whether no callout at all is made or goes out as long as it lasts. */
  readonly blocks: boolean;
}

/**
 * Whether a webhook gets callouts, and each reason why not.
 * @param ring the ids of the keys that webhook secrets can be opened with, where they are known.
 */
export function readinessItem(status: WebhookStatus, ring?: readonly string[]) {
  const reasons = [...reasonsOf(status), ...keyReasons(status, ring)];
  return {
    webhookID: status.id,
    webhookGUID: status.guid,
    isActive: status.isActive,
    isReady: isReady(status),
    getsCallouts: !reasons.some(({ blocks }) => blocks),
    reasons,
  };
}

function reasonsOf(status: WebhookStatus): ReadinessReason[] {
  return [...activeReasons(status), ...subscriptionFaults(status), ...deliveryReasons(status)];
}

function activeReasons({ isActive, isOwnerActive, deactivation }: WebhookStatus): ReadinessReason[] {
  const reasons: ReadinessReason[] = [];
  if (!isActive) {
    reasons.push({ code: 'inactive', message: inactiveMessage(deactivation), blocks: true });
  }
  if (!isOwnerActive) {
    const message = 'The resource that owns the webhook is inactive or deleted: the webhook cannot be activated.';
    reasons.push({ code: 'ownerInactive', message, blocks: !isActive });
  }
  return reasons;
}

const causes: Readonly<Record<string, string>> = {
  user: 'a user deactivated it',
  ownerDeactivated: 'its owner was deactivated',
  ownerDeleted: 'its owner was deleted',
  repeatedFailure: 'too many callouts in a row failed',
  gone: 'the receiver answered 410 (gone)',
};

function inactiveMessage(deactivation: WebhookStatus['deactivation']): string {
  if (deactivation === null) return 'The webhook is inactive. Set isActive to true.';
  const { at, cause, detail } = deactivation;
  // An answer 410 is the cause itself.
  const last = cause === 'gone' ? '' : lastFailure(detail);
  return `The webhook has been inactive since ${at.toISOString()}: ${causes[cause] ?? cause}.${last} Set isActive to true.`;
}

function keyReasons({ secretKeyIds }: WebhookStatus, ring: readonly string[] | undefined): ReadinessReason[] {
  const lacking = lackingKeys(secretKeyIds, ring);
  return lacking.length === 0 ? [] : [{ code: 'secretKeyMissing', message: missingKeyMessage(lacking), blocks: true }];
}

function deliveryReasons({ failing, held }: WebhookStatus): ReadinessReason[] {
  const reasons: ReadinessReason[] = [];
  if (failing !== null) reasons.push(failingReason(failing));
  if (held > 0) {
    const message = `The hourly threshold of the entity holds callouts of the webhook back (${held} at this moment); they are released when there is room.`;
    reasons.push({ code: 'held', message, blocks: false });
  }
  return reasons;
}

function failingReason({ since, givenUp, last, pausedUntil }: NonNullable<WebhookStatus['failing']>): ReadinessReason {
  if (pausedUntil !== null) {
    const message = `The webhook is paused because its receiver is down; the next call is made at ${pausedUntil.toISOString()}.${lastFailure(last)}`;
    return { code: 'receiverPaused', message, blocks: true };
  }
  const message = `No callout has been delivered since ${since.toISOString()}; given up in a row: ${givenUp}.${lastFailure(last)}`;
  return { code: 'receiverFailing', message, blocks: false };
}

function lastFailure(words: string | null): string {
  return words === null ? '' : ` The last failure: ${words}`;
}
