import type { Action } from '../event/event.ts';
import type { PreviousValues } from '../event/previous-values.ts';
import { emptyFieldValues, type FieldValue, type FieldValues } from '../values/values.ts';

/** A field as callouts show it. */
interface ShownField {
  /** Its key in `Fields`. */
  readonly key: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
}

/**
 * What the callouts of a webhook show, and under which names. Everything is resolved: with it and the event, the
 * `Fields` of a callout are the same for ever, whatever becomes of the webhook, its labels and the catalogue.
 */
export interface PayloadLayout {
  /** By catalogue name, in the order of the field records. */
  readonly fields: readonly (ShownField & { readonly name: string })[];
  /** By the id of the definition, likewise. */
  readonly udfFields: readonly (ShownField & { readonly udfId: number })[];
}

/** The data of an event for a payload: its values right after the event, which of them it changed, and from what. */
export interface PayloadInput {
  readonly action: Action;
  /** By catalogue name. */
  readonly fields: FieldValues;
  /** By the id of the user-defined field's definition, as text. */
  readonly udfFields: FieldValues;
  readonly changedFields: readonly string[];
  readonly changedUdfs: readonly number[];
  readonly previous: PreviousValues;
}

/**
 * The `Fields` of a callout, with the values right after the event. Create: subscribed and display-always fields.
 * Update: changed subscribed fields and all display-always fields. Delete: none. System fields come first, then
 * user-defined fields by label, each in the order of the field records. A value never given is left out; null is known
 * to be empty.
 */
export function payloadFields(input: PayloadInput, layout: PayloadLayout): FieldValues {
  const payload = emptyFieldValues();
  if (input.action === 'Delete') return payload;
  const isUpdate = input.action === 'Update';
  for (const { name, key, isSubscribed, isDisplayAlways } of layout.fields) {
    if (!isDisplayAlways && !(isSubscribed && (!isUpdate || input.changedFields.includes(name)))) continue;
    const value = valueOf(input.fields, name);
    if (value !== undefined) payload[key] = value;
  }
  for (const { udfId, key, isSubscribed, isDisplayAlways } of layout.udfFields) {
    if (!isDisplayAlways && !(isSubscribed && (!isUpdate || input.changedUdfs.includes(udfId)))) continue;
    const value = valueOf(input.udfFields, String(udfId));
    if (value !== undefined) payload[key] = value;
  }
  return payload;
}

/** Own keys only: values that were parsed from JSON have a prototype. */
function valueOf(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
