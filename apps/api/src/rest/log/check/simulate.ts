import { randomBytes } from 'node:crypto';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { previousValues, storedPrevious } from '@callout/domain/previous-values';
import { redactSignatures } from '@callout/domain/outcome/outcome';
import { calloutHeaders, prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import { sentHeaderNames } from '@callout/domain/receiver/receiver-settings';
import { Problem } from '@callout/domain/problem';
import { usesSecret } from '@callout/domain/callout/signature-kind';
import { applyChange, type KnownRecord } from '@callout/pipeline/ingest/record.rules';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';
import { bodyOf } from '@callout/domain/callout/callout-body';
import { judgeEvent, judgeEveryRule, type MatchInput } from '@callout/pipeline/match/match.rules';
import type { PayloadInput } from '@callout/domain/callout/payload';
import { layoutOf } from '@callout/pipeline/match/match-events.rules';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import type { UserDefinedFields } from '../../metadata/user-defined-fields.ts';
import { udfName } from '../event-item.ts';
import { conditionResultOf } from './condition-result.ts';
import { firedFieldsOf, rulesOf, subscribedFieldsOf } from './explain.ts';
import { verdictSentence } from '../verdict-sentences.ts';

/** A hypothetical event: its record is known. */
export type SimulatedEvent = IngestEvent & { readonly recordId: number };

/** The input of a simulation. */
export interface SimulationInput {
  readonly event: SimulatedEvent;
  /** The known values of its record. */
  readonly known: KnownRecord;
  readonly webhook: JudgedWebhook;
  readonly entity: EntityDefinition;
  readonly udfs: UserDefinedFields;
  readonly userAgent: string;
  /** The mail address of the resource that acts; null: there is no such resource, or the caller may not read it. */
  readonly personEmail: string | null;
}

/** An event as match judges it and payloads are made of. */
export type JudgedEvent = MatchInput & PayloadInput;

/**
 * The effect of this event if it came now: the verdict with every rule's value, and the request that would be sent. It
 * uses the very functions that accept events, match them and deliver callouts; nothing is stored and nothing is sent.
 * @throws a 400 Problem as the ingest would.
 */
export function simulation(input: SimulationInput) {
  const { event, known, webhook } = input;
  const { webhookId, webhookGuid } = webhook.subscription;
  const judged = judgedEvent(event, known, webhook.now);
  return { webhookID: webhookId, webhookGUID: webhookGuid, ...simulatedOutcome(input, judged) };
}

/** The effect of an event; undefined: an update without changes, which makes no event. */
export function simulatedOutcome(input: Omit<SimulationInput, 'known'>, judged: JudgedEvent | undefined) {
  const { webhook, udfs, personEmail } = input;
  if (judged === undefined) {
    const message = 'The update would change nothing of what is known of the record, so it would make no event.';
    const nothing = { isEvent: false, owed: false, rule: null, message, rules: [], condition: null, ...noChanges };
    return { ...nothing, ...subscribedFieldsOf(webhook.subscription, udfs), request: null };
  }
  const { owed, rule } = judgeEvent(judged, webhook.subscription);
  const acted = { ...judged, personEmail };
  return {
    isEvent: true,
    owed,
    rule,
    message: verdictSentence(rule, acted),
    rules: rulesOf(judgeEveryRule(judged, webhook.subscription), acted),
    condition: conditionResultOf(judged, webhook.subscription.condition),
    changedFields: judged.changedFields,
    changedUserDefinedFields: judged.changedUdfs.map((id) => udfName(udfs, id)),
    ...subscribedFieldsOf(webhook.subscription, udfs),
    ...firedFieldsOf(judged, webhook.subscription, udfs),
    request: owed ? requestOf(input, judged) : null,
  };
}

const noChanges = { changedFields: [], changedUserDefinedFields: [], firedFields: [], firedUserDefinedFields: [] };

/** The event as the ingest would store it; undefined: it would store none. */
export function judgedEvent(event: SimulatedEvent, known: KnownRecord, now: Date): JudgedEvent | undefined {
  const result = applyChange(known, event);
  if (result.kind === 'unknownValue') {
    const message = `changedFields names '${result.name}', whose value is neither given nor known`;
    throw Problem.invalid(message, 'changedFields');
  }
  if (result.kind !== 'changed') return undefined;
  const { record, before, changedFields, changedUdfs } = result;
  const previous = previousValues(result, storedPrevious(result, before));
  const { action, personId, recordId } = event;
  const { fields, udfFields } = record;
  return { action, personId, recordId, acceptedAt: now, changedFields, changedUdfs, previous, fields, udfFields };
}

/** Ids that only a callout and an event that are stored have. */
const NO_CALLOUT = '<id of the callout>';
const NO_EVENT = '<id of the event>';

function requestOf({ event, webhook, entity, userAgent }: Omit<SimulationInput, 'known'>, judged: JudgedEvent) {
  const { subscription, now } = webhook;
  const envelope = {
    id: NO_CALLOUT,
    action: event.action,
    webhookGuid: subscription.webhookGuid,
    entityType: entity.entityType,
    recordId: event.recordId,
    eventTime: event.eventTime ?? now,
    sequenceNumber: webhook.nextSequenceNumber,
    personId: event.personId,
  };
  const body = bodyOf(envelope, judged, layoutOf(subscription, entity));
  const headers = calloutHeaders({
    // A request that is not sent is not signed with a real key.
    signingKeys: usesSecret(webhook.signatureKind)
      ? { hmac: { current: prepareSecret(randomBytes(32).toString('base64')) } }
      : {},
    calloutId: NO_CALLOUT,
    attemptNumber: 1,
    action: event.action,
    eventId: event.eventKey ?? NO_EVENT,
    body: Buffer.from(body, 'utf8'),
    now,
    userAgent,
  });
  const own = sentHeaderNames(webhook).map((name) => [name, '<redacted>']);
  const shown = { ...(Object.fromEntries(own) as Record<string, string>), ...redactSignatures(headers) };
  return { method: 'POST', url: webhook.webhookUrl, headers: shown, body };
}
