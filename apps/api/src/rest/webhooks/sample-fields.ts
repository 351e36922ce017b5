import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { emptyFieldValues, type FieldValues, toWireValue } from '@callout/domain/values/values';
import type { CompiledSubscription } from '@callout/pipeline/match/match.rules';
import { bodyOf } from '@callout/domain/callout/callout-body';
import type { PayloadInput } from '@callout/domain/callout/payload';
import { layoutOf } from '@callout/pipeline/match/layout.rules';
import { exampleValue } from '../../http/operation/example-values.ts';
import type { UdfDefinition } from '@callout/tenancy/udf-definitions';

/** Sample values of user-defined fields, in wire form; a list has its first value, text its label. */
const udfSamples: Readonly<Record<string, string>> = {
  boolean: 'true',
  datetime: '2026-01-15T09:30:00Z',
  integer: '1',
  long: '1',
  decimal: '1.5',
  double: '1.5',
};

/** The body of a sample: all that the webhook subscribes to or always shows, as if all of it had just changed. */
export function sampleBody(
  envelope: Parameters<typeof bodyOf>[0],
  subscription: CompiledSubscription,
  entity: EntityDefinition,
  userDefinedFields: readonly UdfDefinition[],
): string {
  const changed = {
    changedFields: subscription.fields.map(({ name }) => name),
    changedUdfs: subscription.udfFields.map(({ udfId }) => udfId),
  };
  const values = sampleValues(subscription, entity, userDefinedFields);
  return bodyOf(envelope, { action: 'Update', ...values, ...changed }, layoutOf(subscription, entity));
}

/** As if there had been no value before. */
function emptied(values: FieldValues): FieldValues {
  const empty = emptyFieldValues();
  for (const name of Object.keys(values)) empty[name] = null;
  return empty;
}

/** Sample values of a record, of all the fields that the webhook names: by catalogue name, and by id of definition. */
export function sampleValues(
  subscription: CompiledSubscription,
  entity: EntityDefinition,
  userDefinedFields: readonly UdfDefinition[],
): Pick<PayloadInput, 'fields' | 'udfFields' | 'previous'> {
  const fields = emptyFieldValues();
  for (const { name } of subscription.fields) {
    const definition = entity.fieldByName(name);
    if (definition === undefined) continue;
    const wire = toWireValue(definition, exampleValue(definition));
    fields[name] = wire.ok ? wire.value : null;
  }
  const udfFields = emptyFieldValues();
  for (const { udfId, label } of subscription.udfFields) {
    const definition = userDefinedFields.find(({ id }) => id === udfId);
    const [choice] = definition?.picklistValues ?? [];
    udfFields[String(udfId)] = choice?.value ?? udfSamples[definition?.dataType ?? 'string'] ?? label;
  }
  return { fields, udfFields, previous: { fields: emptied(fields), udfFields: emptied(udfFields) } };
}
