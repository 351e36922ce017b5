import type { ConditionFields } from '@callout/domain/condition/condition-fields';
import { readCondition } from '@callout/domain/condition/read-condition';
import type { ProblemDetail } from '@callout/domain/problem';
import { isReady, subscriptionFaults } from '@callout/pipeline/match/match.rules';
import { lackingKeys, missingKeyMessage } from './waits-for.rules.ts';
import type { WebhookStatus } from './webhook-status.rules.ts';

/** Something that keeps a webhook from getting callouts, or some of them. */
export interface ReadinessReason {
  readonly code:
    | 'inactive'
    | 'ownerInactive'
    | 'noFieldRecord'
    | 'subscribedToNothing'
    | 'noSubscribedField'
    | 'conditionFieldGone'
    | 'secretKeyMissing'
    | 'certificateExpired'
    | 'certificateExpires'
    | 'receiverPaused'
    | 'receiverFailing'
    | 'notFetched'
    | 'held';
  /** A sentence with the meaning and the remedy. */
  readonly message: string;
  /** Whether no callout at all is made or goes out as long as it lasts. */
  readonly blocks: boolean;
}

/**
 * Whether a webhook gets callouts, and each reason why not.
 * @param ring the ids of the keys that can decrypt webhook secrets, if known.
 * @param fields the fields that the condition may name, if known.
 */
export function readinessItem(status: WebhookStatus, ring?: readonly string[], fields?: ConditionFields) {
  const reasons = [
    ...reasonsOf(status),
    ...conditionReasons(status, fields),
    ...keyReasons(status, ring),
    ...certificateReasons(status),
  ];
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
  // A response 410 is the cause itself.
  const last = cause === 'gone' ? '' : lastFailure(detail);
  return `The webhook has been inactive since ${at.toISOString()}: ${causes[cause] ?? cause}.${last} Set isActive to true.`;
}

function conditionReasons({ condition }: WebhookStatus, fields: ConditionFields | undefined): ReadinessReason[] {
  if (condition === null || fields === undefined) return [];
  const problems: ProblemDetail[] = [];
  readCondition(JSON.parse(condition), fields, problems);
  if (problems.length === 0) return [];
  const message = `The condition of the webhook names what is not there any more, which counts as a field that was never given: ${problems.map((one) => one.message).join('; ')}.`;
  return [{ code: 'conditionFieldGone', message, blocks: false }];
}

function keyReasons({ secretKeyIds }: WebhookStatus, ring: readonly string[] | undefined): ReadinessReason[] {
  const lacking = lackingKeys(secretKeyIds, ring);
  return lacking.length === 0 ? [] : [{ code: 'secretKeyMissing', message: missingKeyMessage(lacking), blocks: true }];
}

const noticeMs = 30 * 24 * 3_600_000;

function certificateReasons({ certificateExpiresAt: at, now }: WebhookStatus): ReadinessReason[] {
  if (at === null || at.getTime() > now.getTime() + noticeMs) return [];
  const remedy = 'Give the webhook a new one with its private key (receiverAuth).';
  if (at <= now) {
    const message = `The client certificate of the webhook has been expired since ${at.toISOString()}, so its receiver refuses callouts. ${remedy}`;
    return [{ code: 'certificateExpired', message, blocks: false }];
  }
  const message = `The client certificate of the webhook expires on ${at.toISOString()}. ${remedy}`;
  return [{ code: 'certificateExpires', message, blocks: false }];
}

function deliveryReasons({ failing, held: heldCallouts, now }: WebhookStatus): ReadinessReason[] {
  const reasons: ReadinessReason[] = [];
  if (failing !== null) reasons.push(failingReason(failing, now));
  if (heldCallouts > 0) {
    const message = `The hourly threshold of the entity holds callouts of the webhook back (${heldCallouts} at this moment); they are released when there is room.`;
    reasons.push({ code: 'held', message, blocks: false });
  }
  return reasons;
}

type Failing = NonNullable<WebhookStatus['failing']>;

function failingReason(failing: Failing, now: Date): ReadinessReason {
  const { since, failed, last, pausedUntil, firstDueAt, isUnfetched } = failing;
  if (isUnfetched) {
    const message = `No program has fetched callouts of the webhook, though some have been due since ${since.toISOString()}. Check that the program is running, and that its requests are not refused.`;
    return { code: 'notFetched', message, blocks: false };
  }
  if (pausedUntil !== null) {
    const message = `The webhook is paused because its receiver is down. ${nextCallAfter(failing, pausedUntil, now)}${lastFailure(last)}`;
    return { code: 'receiverPaused', message, blocks: true };
  }
  const count = failed === 1 ? ', and 1 callout failed' : `, and ${failed} callouts in a row failed`;
  const next = firstDueAt === null ? '' : ` ${nextCall(firstDueAt, now)}`;
  const message = `No callout has been delivered since ${since.toISOString()}${failed === 0 ? '' : count}.${next}${lastFailure(last)}`;
  return { code: 'receiverFailing', message, blocks: false };
}

/** When a paused receiver is called next: after the pause, and not before a callout is due. */
function nextCallAfter({ firstDueAt, isProbed }: Failing, pausedUntil: Date, now: Date): string {
  if (isProbed) return 'A call is being made to find out whether it is back.';
  if (firstDueAt === null)
    return 'No callout waits to be sent: a test, or the next callout, finds out whether it is back.';
  return nextCall(firstDueAt > pausedUntil ? firstDueAt : pausedUntil, now);
}

function nextCall(next: Date, now: Date): string {
  return next <= now ? 'The next call is made in a moment.' : `The next call is made at ${next.toISOString()}.`;
}

function lastFailure(words: string | null): string {
  return words === null ? '' : ` The last failure: ${words}`;
}
