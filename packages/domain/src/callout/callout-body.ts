import { alertMessage } from '../alert/alert-message.ts';
import type { CalloutAction } from '../event.ts';
import { toWireInstant } from '../values/instant.ts';
import type { FieldValues } from '../values/values.ts';
import { isMessageFormat } from './messages/body-format.ts';
import { healthAlert } from './messages/health-alert.ts';
import { cloudEvent, sourceOf, type WebhookPlace } from './cloud-event.ts';
import {
  noShownValues,
  referenceFields,
  shownPrevious,
  type PayloadInput,
  type PayloadLayout,
  type ShownValues,
  shownValues,
} from './payload.ts';
import type { PayloadFormat } from './payload-format.ts';
import { typedValue, type TypedValue } from './typed-value.ts';

/** What a body says beside the values of the record. */
export interface CalloutEnvelope {
  readonly action: CalloutAction;
  readonly webhookGuid: string;
  readonly entityType: string;
  /** The record's id; the webhook's id in a deactivation call, 0 in a test. */
  readonly recordId: number;
  readonly eventTime: Date;
  readonly sequenceNumber: number;
  /** The acting resource; null, or 0 in events, for Callout itself. */
  readonly personId: number | null;
  /** The carried events, in order; absent: only the event of the record's change. */
  readonly mergedEventIds?: readonly string[] | undefined;
}

/**
 * The body of a callout in the reference format: compact JSON in the documented order of keys, no trailing newline.
 * These bytes, as UTF-8, are stored, signed and sent; nothing serializes them again. Each callout passes here twice, so
 * nothing is copied: copying the envelope takes as long as the rest.
 * @param fields from referenceFields; an object without prototype.
 * @param previousFields likewise; absent: the webhook does not ask for them.
 */
export function calloutBody(envelope: CalloutEnvelope, fields: FieldValues, previousFields?: FieldValues): string {
  return JSON.stringify({
    Action: envelope.action,
    Guid: envelope.webhookGuid,
    EntityType: envelope.entityType,
    Id: envelope.recordId,
    Fields: fields,
    PreviousFields: previousFields,
    EventTime: toWireInstant(envelope.eventTime),
    SequenceNumber: envelope.sequenceNumber,
    PersonID: envelope.personId === 0 ? null : envelope.personId,
    MergedEventIDs: envelope.mergedEventIds,
  });
}

/**
 * The body of a callout in the format of its webhook, with the guarantees of `calloutBody`.
 * @param envelope `id`: the id of the callout, and the `webhook-id` of the requests.
 * @param input null: a callout about no record, such as a deactivation call.
 */
export function bodyOf(
  envelope: CalloutEnvelope & { readonly id: string },
  input: PayloadInput | null,
  layout: PayloadLayout,
): string {
  const values = input === null ? noShownValues : shownValues(input, layout);
  const previous = input === null || layout.withPrevious !== true ? undefined : shownPrevious(input, layout);
  if (layout.format === undefined) {
    return calloutBody(envelope, referenceFields(values), previous && referenceFields(previous));
  }
  if (isMessageFormat(layout.format)) return alertMessage(healthAlert(envelope, input, values), layout.format);
  const data = typedData(envelope, values, previous);
  if (layout.origin === undefined) return JSON.stringify(data);
  return JSON.stringify(cloudEvent({ ...envelope, time: data.eventTime, data }, layout.origin));
}

/**
 * The content of a typed body, its keys in order. User-defined fields have a separate object, under their labels as
 * defined: in camelCase two labels might be equal, or equal to the name of a field.
 */
function typedData(envelope: CalloutEnvelope, values: ShownValues, previous: ShownValues | undefined) {
  return {
    action: envelope.action,
    guid: envelope.webhookGuid,
    entityType: envelope.entityType,
    id: envelope.recordId,
    fields: typedFields(values.fields, ({ name }) => name),
    userDefinedFields: typedFields(values.udfFields, ({ key }) => key),
    previousFields: previous && typedFields(previous.fields, ({ name }) => name),
    previousUserDefinedFields: previous && typedFields(previous.udfFields, ({ key }) => key),
    eventTime: toWireInstant(envelope.eventTime),
    sequenceNumber: envelope.sequenceNumber,
    personID: envelope.personId === 0 ? null : envelope.personId,
    mergedEventIDs: envelope.mergedEventIds,
  };
}

/** What the layout of a callout that is about the webhook itself depends on. */
export interface OwnCalloutOfWebhook {
  readonly guid: string;
  readonly payloadFormat: PayloadFormat;
  /** Of CloudEvents. */
  readonly place: WebhookPlace | null;
}

/** The layout of a callout about the webhook itself, such as a deactivation call: the format, without fields. */
export function ownLayout({ guid, payloadFormat: format, place }: OwnCalloutOfWebhook): PayloadLayout {
  return {
    fields: [],
    udfFields: [],
    ...(format !== 'reference' && { format }),
    ...(place !== null && { origin: { source: sourceOf(place, guid) } }),
  };
}

/** Without a prototype, because a label may be `__proto__`. */
function typedFields<Field extends ShownValues['fields'][number][0] | ShownValues['udfFields'][number][0]>(
  values: readonly (readonly [field: Field, value: string | null])[],
  nameOf: (field: Field) => string,
): Readonly<Record<string, TypedValue>> {
  const typed = Object.create(null) as Record<string, TypedValue>;
  for (const [field, value] of values) typed[nameOf(field)] = typedValue(field, value);
  return typed;
}
