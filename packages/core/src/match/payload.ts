import type { EntityDefinition } from '../catalogue/catalogue.ts';
import type { Action, CalloutAction } from '../ingest/event.ts';
import { toWireInstant } from '../ingest/values/instant.ts';
import { firedFields, type CompiledSubscription, type Subscription } from './match.ts';
import { emptyFieldValues, type FieldValue, type FieldValues } from '../ingest/values/values.ts';

/** Everything a callout tells its receiver. */
export interface CalloutContent {
  readonly action: CalloutAction;
  readonly webhookGuid: string;
  readonly entityType: string;
  /** The record's id; the webhook's id in a deactivation call, 0 in a test. */
  readonly recordId: number;
  readonly eventTime: Date;
  readonly sequenceNumber: number;
  /** The acting resource; null when a webhook was deactivated automatically. */
  readonly personId: number | null;
  /** From payloadFields; an object without prototype. */
  readonly fields: FieldValues;
}

/** What of an event goes into a payload: its values right after the event, and which of them it changed. */
export interface PayloadInput {
  readonly action: Action;
  /** By catalogue name. */
  readonly fields: FieldValues;
  /** By the id of the user-defined field's definition, as text. */
  readonly udfFields: FieldValues;
  readonly changedFields: readonly string[];
  readonly changedUdfs: readonly number[];
}

/**
 * The body of a callout: compact JSON in the documented order of keys, no trailing newline. These bytes, as UTF-8, are
 * stored, signed and sent; nothing serializes them again.
 */
export function calloutBody(content: CalloutContent): string {
  return JSON.stringify({
    Action: content.action,
    Guid: content.webhookGuid,
    EntityType: content.entityType,
    Id: content.recordId,
    Fields: content.fields,
    EventTime: toWireInstant(content.eventTime),
    SequenceNumber: content.sequenceNumber,
    PersonID: content.personId,
  });
}

/**
 * The `Fields` of a callout, with the values right after the event. Create: subscribed and display-always fields.
 * Update: changed subscribed fields and all display-always fields. Delete: none. System fields come first, by
 * PascalCase name, then user-defined fields by label, each in the order of the field records. A value never told is
 * left out; null is known to be empty.
 */
export function payloadFields(
  input: PayloadInput,
  subscription: Subscription | CompiledSubscription,
  entity: EntityDefinition,
): FieldValues {
  const payload = emptyFieldValues();
  if (input.action === 'Delete') return payload;

  const fired = input.action === 'Update' ? firedFields(input, subscription) : undefined;
  for (const { name, isSubscribed, isDisplayAlways } of subscription.fields) {
    const isShown = isDisplayAlways || (isSubscribed && (fired === undefined || fired.fields.includes(name)));
    const value = isShown ? valueOf(input.fields, name) : undefined;
    const key = entity.fieldByName(name)?.payloadKey;
    if (value !== undefined && key !== undefined) payload[key] = value;
  }
  for (const { udfId, label, isSubscribed, isDisplayAlways } of subscription.udfFields) {
    const isShown = isDisplayAlways || (isSubscribed && (fired === undefined || fired.udfIds.includes(udfId)));
    const value = isShown ? valueOf(input.udfFields, String(udfId)) : undefined;
    if (value !== undefined) payload[label] = value;
  }
  return payload;
}

/** Own keys only: values that came through a JSON parser have a prototype. */
function valueOf(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
