import { actions, verdictRules, type Catalogue } from '@callout/core';
import { calloutKinds, calloutStates } from '@callout/db';
import { arrayOf, object, orNull, type Json } from './json-schema.ts';
import { told } from './shared-schemas.ts';

const text: Json = { type: 'string' };
const flag: Json = { type: 'boolean' };
const whole: Json = { type: 'integer' };
const anyId: Json = { type: 'integer', format: 'int64', minimum: 1 };
const guid: Json = { type: 'string', format: 'uuid' };
const moment: Json = { type: 'string', format: 'date-time' };
const calloutId: Json = { type: 'string', format: 'uuid', description: 'Also the webhook-id of its requests' };
const state: Json = { type: 'string', enum: calloutStates };
const rule: Json = { type: 'string', enum: verdictRules, description: 'The first rule that failed; owed: none did' };
const headers: Json = { type: 'object', additionalProperties: text };

/** An object that has all of its properties, always. */
const whollyOf = (properties: Json): Json => object(properties, Object.keys(properties));

/** As whollyOf, with the names that were ignored, if any. */
const withTold = (properties: Json): Json => object({ ...properties, ...told }, Object.keys(properties));

const waitsFor = whollyOf({
  reason: {
    type: 'string',
    enum: ['earlierCallout', 'threshold', 'receiver', 'nextAttempt', 'answer', 'worker', 'cancellation', 'secretKey'],
  },
  message: text,
  sequenceNumber: orNull(whole),
  since: orNull(moment),
  until: orNull(moment),
});

const cancelledBecause = whollyOf({
  reason: { type: 'string', enum: ['deactivated', 'deleted', 'request'] },
  message: text,
});

const attempt = whollyOf({
  number: { ...whole, minimum: 1 },
  startDateTime: moment,
  durationMs: whole,
  url: text,
  requestHeaders: headers,
  status: orNull(whole),
  responseHeaders: orNull(headers),
  responseBody: orNull(text),
  responseBodyEncoding: orNull({ type: 'string', enum: ['utf-8', 'base64'] }),
  failureReason: orNull(text),
  failure: { ...orNull(text), description: 'Why it failed and what to do about it, in words; null: it was delivered' },
  note: orNull(text),
  nextAttemptDateTime: orNull(moment),
});

const pause = whollyOf({
  changeDateTime: moment,
  change: { type: 'string', enum: ['paused', 'resumed'] },
  cause: text,
  message: text,
});

const owedCallout = whollyOf({ id: calloutId, sequenceNumber: whole, state });
const ruleValues = arrayOf(
  whollyOf({
    rule,
    blocks: { ...flag, description: 'Whether this rule keeps the callout from being made' },
    message: text,
  }),
);
const names = arrayOf(text);
const namesOrNull: Json = { type: ['array', 'null'], items: text };

/** What the delivery log answers. */
export function deliveryLogSchemas({ entities }: Catalogue): Json {
  const watched = entities.filter((entity) => entity.supportsWebhookCallouts).map((entity) => entity.entityType);
  const entityType = { type: 'string', enum: watched };
  const callout = {
    id: calloutId,
    webhookID: anyId,
    webhookGUID: guid,
    entityType,
    recordID: orNull(anyId),
    action: { type: 'string', enum: [...actions, 'Deactivated'] },
    kind: { type: 'string', enum: calloutKinds },
    state,
    sequenceNumber: whole,
    eventID: orNull(text),
    createDateTime: moment,
    finishedDateTime: orNull(moment),
    attemptsMade: whole,
    isRedelivery: { ...flag, description: 'It is open because it was redelivered; false once it has ended' },
    nextAttemptDateTime: orNull(moment),
    waitsFor: { anyOf: [waitsFor, { type: 'null' }] },
  };
  return {
    Callout: whollyOf(callout),
    CalloutDetails: whollyOf({
      ...callout,
      cancelledBecause: { anyOf: [cancelledBecause, { type: 'null' }] },
      body: text,
      attempts: arrayOf(attempt),
      pauses: arrayOf(pause),
    }),
    ...eventLogSchemas(entityType),
    ...checkSchemas(),
    CalloutThreshold: whollyOf({
      entityType,
      limit: whole,
      used: whole,
      held: whole,
      oldestHeldDateTime: orNull(moment),
      heldSinceDateTime: orNull(moment),
    }),
  };
}

function eventLogSchemas(entityType: Json): Json {
  const event = {
    eventID: text,
    serviceEventID: guid,
    entityType,
    action: { type: 'string', enum: actions },
    recordID: anyId,
    resourceID: anyId,
    eventTime: moment,
    createDateTime: moment,
    state: { type: 'string', enum: ['pending', 'matched'] },
  };
  const verdict = whollyOf({
    webhookID: anyId,
    webhookGUID: guid,
    owed: flag,
    rule,
    message: text,
    hasConfigurationChanged: flag,
    callout: { anyOf: [owedCallout, { type: 'null' }] },
  });
  return {
    LoggedEvent: whollyOf(event),
    LoggedEventDetails: object(
      {
        ...event,
        state: { type: 'string', enum: ['pending', 'matched', 'unchanged'] },
        changedFields: arrayOf(text),
        changedUserDefinedFields: arrayOf(text),
        matchedDateTime: orNull(moment),
        verdicts: arrayOf(verdict),
      },
      ['eventID', 'createDateTime', 'state'],
    ),
    Explanation: whollyOf({
      eventID: text,
      webhookID: anyId,
      webhookGUID: guid,
      state: event.state,
      owed: orNull(flag),
      rule: orNull(rule),
      message: text,
      hasConfigurationChanged: orNull(flag),
      changedFields: names,
      changedUserDefinedFields: names,
      subscribedFields: { ...namesOrNull, description: 'Those of the present configuration; null: it was deleted' },
      subscribedUserDefinedFields: namesOrNull,
      firedFields: { ...namesOrNull, description: 'Changed and subscribed; null: the configuration has changed since' },
      firedUserDefinedFields: namesOrNull,
      rules: { anyOf: [ruleValues, { type: 'null' }] },
      callout: { anyOf: [owedCallout, { type: 'null' }] },
    }),
  };
}

function checkSchemas(): Json {
  return {
    SupposedEvent: object(
      {
        entityType: { ...text, description: 'That of the webhook, or left out' },
        action: { type: 'string', enum: actions },
        id: anyId,
        resourceID: { ...anyId, description: 'Who acted; absent = the resource of the caller' },
        eventTime: moment,
        fields: { type: 'object', additionalProperties: true },
        userDefinedFields: { type: 'object', additionalProperties: true },
        changedFields: arrayOf(text),
      },
      ['action', 'id'],
    ),
    Simulation: withTold({
      webhookID: anyId,
      webhookGUID: guid,
      isEvent: { ...flag, description: 'false: an update that changes nothing' },
      owed: flag,
      rule: orNull(rule),
      message: text,
      rules: ruleValues,
      changedFields: arrayOf(text),
      changedUserDefinedFields: names,
      subscribedFields: names,
      subscribedUserDefinedFields: names,
      firedFields: names,
      firedUserDefinedFields: names,
      request: {
        anyOf: [whollyOf({ method: text, url: text, headers, body: text }), { type: 'null' }],
        description: 'Null: nothing would be sent',
      },
    }),
    Readiness: whollyOf({
      webhookID: anyId,
      webhookGUID: guid,
      isActive: flag,
      isReady: flag,
      getsCallouts: flag,
      reasons: arrayOf(
        whollyOf({
          code: {
            type: 'string',
            enum: [
              'inactive',
              'ownerInactive',
              'noFieldRecord',
              'subscribedToNothing',
              'noSubscribedField',
              'secretKeyMissing',
              'receiverPaused',
              'receiverFailing',
              'held',
            ],
          },
          message: text,
          blocks: { ...flag, description: 'Whether no callout at all goes out as long as it lasts' },
        }),
      ),
    }),
  };
}
