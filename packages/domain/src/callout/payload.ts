import type { MessageFormat } from '../alert/alert.ts';
import type { Action } from '../event.ts';
import type { PreviousValues } from '../previous-values.ts';
import { emptyFieldValues, type FieldValue, type FieldValues } from '../values/values.ts';
import type { CloudEventOrigin } from './cloud-event.ts';
import type { TypedField } from './typed-value.ts';

/** A field as callouts show the field; `type` and labels only where callouts show JSON values. */
interface ShownField extends TypedField {
  /** Its key in the `Fields` of the reference format. */
  readonly key: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
}

/** A field of the catalogue. */
export type ShownSystemField = ShownField & { readonly name: string };

/** A user-defined field. */
export type ShownUdf = ShownField & { readonly udfId: number };

/**
 * What the callouts of a webhook show, and under which names. Everything is resolved: layout and event give the same
 * content of a callout for ever, whatever becomes of the webhook, the labels and the catalogue.
 */
export interface PayloadLayout {
  /** By catalogue name, in the order of the field records. */
  readonly fields: readonly ShownSystemField[];
  /** By the id of the definition, likewise. */
  readonly udfFields: readonly ShownUdf[];
  /** Absent: without what changed fields were before. */
  readonly withPrevious?: true;
  /** Absent: the reference format. */
  readonly format?: 'typed' | 'cloudevents' | MessageFormat;
  /** Of CloudEvents. */
  readonly origin?: CloudEventOrigin;
}

/** The data of an event for a payload: the values right after the event, the changed values, and the values before. */
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

/** Fields with their values, in the order in which bodies show them. */
export interface ShownValues {
  readonly fields: readonly (readonly [field: ShownSystemField, value: FieldValue])[];
  readonly udfFields: readonly (readonly [field: ShownUdf, value: FieldValue])[];
}

/** Nothing to show: a deletion, a deactivation call. */
export const noShownValues: ShownValues = { fields: [], udfFields: [] };

/**
 * What a callout shows, with the values right after the event. Create: subscribed and display-always fields. Update:
 * changed subscribed fields and all display-always fields. Delete: none. A value never given is left out; null is known
 * to be empty.
 */
export function shownValues(input: PayloadInput, layout: PayloadLayout): ShownValues {
  if (input.action === 'Delete') return noShownValues;
  const isUpdate = input.action === 'Update';
  return {
    fields: valuesOf(
      layout.fields,
      ({ name, isSubscribed, isDisplayAlways }) =>
        isDisplayAlways || (isSubscribed && (!isUpdate || input.changedFields.includes(name))),
      ({ name }) => valueOf(input.fields, name),
    ),
    udfFields: valuesOf(
      layout.udfFields,
      ({ udfId, isSubscribed, isDisplayAlways }) =>
        isDisplayAlways || (isSubscribed && (!isUpdate || input.changedUdfs.includes(udfId))),
      ({ udfId }) => valueOf(input.udfFields, String(udfId)),
    ),
  };
}

/** What the changed subscribed fields of an update were before; a value that was not known is left out. */
export function shownPrevious({ action, previous }: PayloadInput, layout: PayloadLayout): ShownValues {
  if (action !== 'Update') return noShownValues;
  const isShown = ({ isSubscribed }: ShownField) => isSubscribed;
  return {
    fields: valuesOf(layout.fields, isShown, ({ name }) => valueOf(previous.fields, name)),
    udfFields: valuesOf(layout.udfFields, isShown, ({ udfId }) => valueOf(previous.udfFields, String(udfId))),
  };
}

function valuesOf<Field>(
  fields: readonly Field[],
  isShown: (field: Field) => boolean,
  value: (field: Field) => FieldValue | undefined,
): [Field, FieldValue][] {
  const shown: [Field, FieldValue][] = [];
  for (const field of fields) {
    if (!isShown(field)) continue;
    const one = value(field);
    if (one !== undefined) shown.push([field, one]);
  }
  return shown;
}

/** Own keys only: values that were parsed from JSON have a prototype. */
function valueOf(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Values as one object of the reference format: system fields first, then user-defined fields by label. */
export function referenceFields({ fields, udfFields }: ShownValues): FieldValues {
  const payload = emptyFieldValues();
  for (const [{ key }, value] of fields) payload[key] = value;
  for (const [{ key }, value] of udfFields) payload[key] = value;
  return payload;
}
