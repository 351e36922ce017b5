import { randomBytes } from 'node:crypto';
import type { EntityDefinition } from '@callout/core/catalogue';
import { calloutHeaders, prepareSecret, redactSignatures } from '@callout/core/deliver';
import { Problem } from '@callout/core/errors';
import { applyChange, type IntakeEvent, type KnownRecord } from '@callout/core/ingest';
import {
  calloutBody,
  judgeEvent,
  judgeEveryRule,
  type MatchInput,
  payloadFields,
  type PayloadInput,
} from '@callout/core/match';
import type { JudgedWebhook } from '@callout/db/log';
import type { UserDefinedFields } from '../../tenants/udf/user-defined-fields.ts';
import { udfName } from '../events/event-item.ts';
import { firedFieldsOf, rulesOf, subscribedFieldsOf } from './explain.ts';
import { verdictSentence } from '../verdict-words.ts';

/** A hypothetical event: its record is known. */
export type SupposedEvent = IntakeEvent & { readonly recordId: number };

/** What a hypothetical event is judged by. */
export interface Supposition {
  readonly event: SupposedEvent;
  /** What is known of its record. */
  readonly known: KnownRecord;
  readonly webhook: JudgedWebhook;
  readonly entity: EntityDefinition;
  readonly udfs: UserDefinedFields;
  readonly userAgent: string;
}

/** An event as match judges it and payloads are made of. */
export type JudgedEvent = MatchInput & PayloadInput;

/**
 * What would happen if this event came now: the verdict with every rule's value, and the request that would go out. Made
 * by the very functions that take events in, match them and deliver callouts; nothing is stored and nothing is sent.
 * @throws a 400 Problem as the intake would.
 */
export function simulation(supposition: Supposition) {
  const { event, known, webhook } = supposition;
  const { webhookId, webhookGuid } = webhook.subscription;
  const judged = judgedEvent(event, known, webhook.now);
  return { webhookID: webhookId, webhookGUID: webhookGuid, ...simulatedOutcome(supposition, judged) };
}

/** What an event does; undefined: an update that changes nothing, which makes none. */
export function simulatedOutcome(supposition: Omit<Supposition, 'known'>, judged: JudgedEvent | undefined) {
  const { webhook, udfs } = supposition;
  if (judged === undefined) {
    const message = 'The update would change nothing of what is known of the record, so it would make no event.';
    const nothing = { isEvent: false, owed: false, rule: null, message, rules: [], ...noChanges };
    return { ...nothing, ...subscribedFieldsOf(webhook.subscription, udfs), request: null };
  }
  const { owed, rule } = judgeEvent(judged, webhook.subscription);
  return {
    isEvent: true,
    owed,
    rule,
    message: verdictSentence(rule, judged),
    rules: rulesOf(judgeEveryRule(judged, webhook.subscription), judged),
    changedFields: judged.changedFields,
    changedUserDefinedFields: judged.changedUdfs.map((id) => udfName(udfs, id)),
    ...subscribedFieldsOf(webhook.subscription, udfs),
    ...firedFieldsOf(judged, webhook.subscription, udfs),
    request: owed ? requestOf(supposition, judged) : null,
  };
}

const noChanges = { changedFields: [], changedUserDefinedFields: [], firedFields: [], firedUserDefinedFields: [] };

/** The event as the intake would store it; undefined: it would store none. */
export function judgedEvent(event: SupposedEvent, known: KnownRecord, now: Date): JudgedEvent | undefined {
  const result = applyChange(known, event);
  if (result.kind === 'unknownValue') {
    const message = `changedFields names '${result.name}', whose value is neither given nor known`;
    throw Problem.invalid(message, 'changedFields');
  }
  if (result.kind !== 'changed') return undefined;
  const { record, changedFields, changedUdfs } = result;
  const { action, personId } = event;
  const { fields, udfFields } = record;
  return { action, personId, acceptedAt: now, changedFields, changedUdfs, fields, udfFields };
}

/** Ids that only a callout and an event that are stored have. */
const NO_CALLOUT = '<id of the callout>';
const NO_EVENT = '<id of the event>';

function requestOf({ event, webhook, entity, userAgent }: Omit<Supposition, 'known'>, judged: JudgedEvent) {
  const { subscription, now } = webhook;
  const body = calloutBody({
    action: event.action,
    webhookGuid: subscription.webhookGuid,
    entityType: entity.entityType,
    recordId: event.recordId,
    eventTime: event.eventTime ?? now,
    sequenceNumber: webhook.nextSequenceNumber,
    personId: event.personId,
    fields: payloadFields(judged, subscription, entity),
  });
  const headers = calloutHeaders({
    // What is not sent is not signed with a real key.
    secretKeys: { current: prepareSecret(randomBytes(32).toString('base64')) },
    calloutId: NO_CALLOUT,
    attemptNumber: 1,
    action: event.action,
    eventId: event.eventKey ?? NO_EVENT,
    body: Buffer.from(body, 'utf8'),
    now,
    userAgent,
  });
  return { method: 'POST', url: webhook.webhookUrl, headers: redactSignatures(headers), body };
}
