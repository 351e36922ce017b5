import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { Action } from '@callout/domain/event/event';
import { firedFields, type CompiledSubscription, type Subscription } from './match.rules.ts';
import { emptyFieldValues, type FieldValue, type FieldValues } from '@callout/domain/values/values';

/** The data of an event for a payload: its values right after the event, and which of them it changed. */
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
 * The `Fields` of a callout, with the values right after the event. Create: subscribed and display-always fields.
 * Update: changed subscribed fields and all display-always fields. Delete: none. System fields come first, by
 * PascalCase name, then user-defined fields by label, each in the order of the field records. A value never given is
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

/** Own keys only: values that were parsed from JSON have a prototype. */
function valueOf(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
