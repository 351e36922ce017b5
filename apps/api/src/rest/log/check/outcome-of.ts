import { randomBytes } from 'node:crypto';
import { bodyOf } from '@callout/domain/callout/callout-body';
import { shownPrevious, type PayloadInput } from '@callout/domain/callout/payload';
import { usesSecret } from '@callout/domain/callout/signature-kind';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { redactSignatures } from '@callout/domain/outcome/outcome';
import { sentHeaderNames } from '@callout/domain/receiver/receiver-settings';
import type { LoggedVerdict } from '@callout/history/log/event-verdicts';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import { calloutHeaders, prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import { layoutOf } from '@callout/pipeline/match/layout.rules';
import {
  firedFields,
  judgeEvent,
  judgeEveryRule,
  type CompiledSubscription,
  type MatchInput,
} from '@callout/pipeline/match/match.rules';
import type { UserDefinedFields } from '../../events/user-defined-fields.ts';
import { calloutOfEvent, udfName, verdictMessage } from '../event-item.ts';
import { ruleSentence, verdictSentence } from '../verdict-sentences.ts';
import { conditionResultOf } from './condition-result.ts';
import type { EventOutcome } from './event-outcome.ts';

/** An event as match judges it and bodies are made of, stored or only described. */
export interface AskedEvent extends MatchInput, PayloadInput {
  readonly recordId: number;
  readonly eventTime: Date;
  /** The eventID of the caller, else of the service; null: the event is not stored. */
  readonly eventID: string | null;
  /** The mail address of the acting resource; null: no address, or not for the caller. */
  readonly personEmail: string | null;
}

/** What was decided about a stored event. */
interface Decided {
  readonly isPending: boolean;
  /** Undefined: pending, or the webhook was not there when the event was matched. */
  readonly verdict: LoggedVerdict | undefined;
}

/** The question of explain, simulate and preview: what does a webhook do with an event? */
export interface Asked {
  /** Undefined: an update without changes, which makes no event. */
  readonly event: AskedEvent | undefined;
  /** Undefined: deleted; then there is a verdict. */
  readonly webhook: JudgedWebhook | undefined;
  /** Of a stored event; absent: to be decided now. */
  readonly decided?: Decided;
  readonly entity: EntityDefinition;
  readonly udfs: UserDefinedFields;
  readonly userAgent: string;
}

/**
 * What a webhook does with an event: the verdict, every rule with its value, and the request. The functions are the
 * ones that match events and deliver callouts; nothing is stored and nothing is sent. The rules of a stored event are
 * shown only while the webhook has the configuration that decided.
 */
export function outcomeOf(question: Asked): EventOutcome {
  const { event, webhook, decided, udfs } = question;
  const { verdict } = decided ?? {};
  const subscription = webhook?.subscription;
  const isCurrent = decided === undefined || (verdict !== undefined && verdict.version === subscription?.version);
  const decision = decided === undefined ? event && subscription && judgeEvent(event, subscription) : ruledBy(verdict);
  return {
    eventID: event?.eventID ?? null,
    webhookID: verdict?.webhookId ?? (subscription?.webhookId || null),
    webhookGUID: verdict?.webhookGuid ?? subscription?.webhookGuid ?? '',
    isEvent: event !== undefined,
    state: decided === undefined ? null : decided.isPending ? 'pending' : 'matched',
    getsCallout: event === undefined ? false : (decision?.getsCallout ?? null),
    rule: decision?.rule ?? null,
    message: messageOf(question, decision?.rule),
    hasConfigurationChanged: verdict === undefined ? null : !isCurrent,
    changedFields: [...(event?.changedFields ?? [])],
    changedUserDefinedFields: (event?.changedUdfs ?? []).map((id) => udfName(udfs, id)),
    ...(subscription === undefined ? noSubscription : subscribedFieldsOf(subscription, udfs)),
    ...(event && webhook && isCurrent
      ? judgedBy(question, event, webhook, decision?.getsCallout === true)
      : nothingJudged),
    callout: verdict?.callout ? calloutOfEvent(verdict.callout) : null,
    comparison: null,
  };
}

const ruledBy = (verdict: LoggedVerdict | undefined) =>
  verdict && { getsCallout: verdict.rule === 'passed', rule: verdict.rule };

function messageOf({ event, decided }: Asked, rule: LoggedVerdict['rule'] | undefined): string {
  if (event === undefined) {
    return 'The update would change nothing of what is known of the record, so it would make no event.';
  }
  if (decided?.verdict !== undefined) return verdictMessage(event, decided.verdict);
  if (rule !== undefined) return verdictSentence(rule, event);
  return decided?.isPending === true
    ? 'The event has not been matched with webhooks yet.'
    : 'The webhook was not there when the event was matched.';
}

function subscribedFieldsOf({ fields, udfFields }: CompiledSubscription, udfs: UserDefinedFields) {
  return {
    subscribedFields: fields.filter((one) => one.isSubscribed).map((one) => one.name),
    subscribedUserDefinedFields: udfFields.filter((one) => one.isSubscribed).map((one) => udfName(udfs, one.udfId)),
  };
}

type Judged = Pick<EventOutcome, keyof typeof nothingJudged>;

/**
 * The parts that the configuration explains. A rule is named after the failure, and the value is whether the rule
 * blocks.
 */
function judgedBy(question: Asked, event: AskedEvent, webhook: JudgedWebhook, getsCallout: boolean): Judged {
  const { entity, udfs, decided } = question;
  const { subscription } = webhook;
  const fired = firedFields(event, subscription);
  const layout = layoutOf(subscription, entity);
  const previous = layout.withPrevious === true ? shownPrevious(event, layout) : undefined;
  const isMerged = Boolean(decided?.verdict?.callout?.merge);
  return {
    firedFields: fired.fields,
    firedUserDefinedFields: fired.udfIds.map((id) => udfName(udfs, id)),
    previousFields: previous ? Object.fromEntries(previous.fields.map(([{ name }, value]) => [name, value])) : null,
    previousUserDefinedFields: previous
      ? Object.fromEntries(previous.udfFields.map(([{ udfId }, value]) => [udfName(udfs, udfId), value]))
      : null,
    rules: judgeEveryRule(event, subscription).map((value) => ({
      rule: value.rule,
      blocks: !value.passed,
      message: ruleSentence(value, event),
    })),
    condition: conditionResultOf(event, subscription.condition),
    request: getsCallout && !isMerged ? requestOf(question, event, webhook) : null,
  };
}

const noSubscription = { subscribedFields: null, subscribedUserDefinedFields: null };
const nothingJudged = {
  firedFields: null,
  firedUserDefinedFields: null,
  previousFields: null,
  previousUserDefinedFields: null,
  rules: null,
  condition: null,
  request: null,
};

/** Ids of a stored callout and a stored event alone. */
const NO_CALLOUT = '<id of the callout>';
const NO_EVENT = '<id of the event>';

/** The body of the callout that an event makes for a webhook. */
export function calloutBodyOf(
  event: AskedEvent,
  { subscription, nextSequenceNumber }: Pick<JudgedWebhook, 'subscription' | 'nextSequenceNumber'>,
  entity: EntityDefinition,
  callout?: LoggedVerdict['callout'],
): string {
  const envelope = {
    id: callout?.id ?? NO_CALLOUT,
    action: event.action,
    webhookGuid: subscription.webhookGuid,
    entityType: entity.entityType,
    recordId: event.recordId,
    eventTime: event.eventTime,
    sequenceNumber: callout?.sequenceNumber ?? nextSequenceNumber,
    personId: event.personId,
  };
  return bodyOf(envelope, event, layoutOf(subscription, entity));
}

function requestOf({ decided, entity, userAgent }: Asked, event: AskedEvent, webhook: JudgedWebhook) {
  const callout = decided?.verdict?.callout;
  const body = calloutBodyOf(event, webhook, entity, callout);
  const headers = calloutHeaders({
    // An unsent request is not signed with a real key.
    signingKeys: usesSecret(webhook.signatureKind)
      ? { hmac: { current: prepareSecret(randomBytes(32).toString('base64')) } }
      : {},
    calloutId: callout?.id ?? NO_CALLOUT,
    attemptNumber: 1,
    action: event.action,
    eventId: event.eventID ?? NO_EVENT,
    body: Buffer.from(body, 'utf8'),
    now: webhook.now,
    userAgent,
  });
  const ownHeaders = sentHeaderNames(webhook).map((name) => [name, '<redacted>']);
  const shown = { ...(Object.fromEntries(ownHeaders) as Record<string, string>), ...redactSignatures(headers) };
  return { method: 'POST' as const, url: webhook.webhookUrl, headers: shown, body };
}
