import { isMessageFormat } from './messages/body-format.ts';
import type { DataType } from '../catalogue/catalogue.ts';
import { actions as allActions, actionsWithoutEvent, type Action, type CalloutAction } from '../event.ts';
import { cloudEventType, type CloudEventOrigin } from './cloud-event.ts';
import { messageSchema } from './messages/message-schema.ts';
import type { PayloadLayout, ShownSystemField, ShownUdf } from './payload.ts';

/** The webhook whose bodies are described. */
export interface DescribedWebhook {
  readonly name: string;
  readonly guid: string;
  readonly entityType: string;
  /** The subscribed actions. */
  readonly actions: readonly Action[];
  readonly merges: boolean;
  readonly layout: PayloadLayout;
  /** What is known of its fields besides. */
  readonly describe: (field: ShownSystemField | ShownUdf) => FieldDescription;
}

/** A field in words. */
export interface FieldDescription {
  readonly dataType: DataType;
  readonly description: string;
  /** The defined values of a picklist. */
  readonly picklistValues: readonly { readonly value: string; readonly label: string }[];
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of the bodies that a webhook sends with a layout: callouts of subscribed actions, tests,
 * which are updates with the id 0, and the deactivation call. Whatever another configuration would send does not match.
 */
export function payloadSchema(webhook: DescribedWebhook): Schema {
  const { layout, name } = webhook;
  if (layout.format !== undefined && isMessageFormat(layout.format)) return messageSchema(layout.format, name);
  const body = layout.format === undefined ? referenceBody(webhook) : typedBody(webhook);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Callouts of the webhook ${name}`,
    ...(layout.origin === undefined ? body : cloudEventSchema(webhook, layout.origin, body)),
  };
}

/** Of whatever it is subscribed to: a test is an update. */
function actionsOf({ actions }: DescribedWebhook): CalloutAction[] {
  const subscribed = allActions.filter((action) => action === 'Update' || actions.includes(action));
  return [...subscribed, 'Deactivated'];
}

const moment = { type: 'string', format: 'date-time', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$` };

function envelope(webhook: DescribedWebhook) {
  return {
    action: { enum: actionsOf(webhook), description: 'What was done to the record, or Deactivated.' },
    guid: { const: webhook.guid, description: 'The webhookGUID.' },
    entityType: { const: webhook.entityType, description: 'The type of entity, such as Account.' },
    id: { type: 'integer', minimum: 0, description: 'The record; 0 in a test, the webhook in a deactivation call.' },
    eventTime: { ...moment, description: 'When it happened, in UTC.' },
    sequenceNumber: {
      type: 'integer',
      minimum: 0,
      description: 'From 1 per webhook, without gaps; 0 in a test.',
    },
    personID: { type: ['integer', 'null'], description: 'Who did it; null: it was automatic.' },
  };
}

function referenceBody(webhook: DescribedWebhook): Schema {
  const { layout } = webhook;
  const { action, guid, entityType, id, eventTime, sequenceNumber, personID } = envelope(webhook);
  const all = [...layout.fields, ...layout.udfFields];
  const fields = valuesSchema(webhook, all, ({ key }) => key, referenceValue);
  const before = all.filter(({ isSubscribed }) => isSubscribed);
  const previous = valuesSchema(webhook, before, ({ key }) => key, referenceValue);
  return bodySchema(
    {
      Action: action,
      Guid: guid,
      EntityType: entityType,
      Id: id,
      Fields: fields,
      ...(layout.withPrevious === true && { PreviousFields: previous }),
      EventTime: eventTime,
      SequenceNumber: sequenceNumber,
      PersonID: personID,
      ...(webhook.merges && { MergedEventIDs: mergedEventIds }),
    },
    { action: 'Action', values: ['Fields'], previous: ['PreviousFields'], merged: 'MergedEventIDs' },
  );
}

function typedBody(webhook: DescribedWebhook): Schema {
  const { layout } = webhook;
  const { action, guid, entityType, id, eventTime, sequenceNumber, personID } = envelope(webhook);
  const isSubscribed = (field: ShownSystemField | ShownUdf) => field.isSubscribed;
  const ofFields = (fields: readonly ShownSystemField[]) =>
    valuesSchema(webhook, fields, ({ name }) => name, typedValueSchema);
  const ofUdfs = (fields: readonly ShownUdf[]) => valuesSchema(webhook, fields, ({ key }) => key, typedValueSchema);
  return bodySchema(
    {
      action,
      guid,
      entityType,
      id,
      fields: ofFields(layout.fields),
      userDefinedFields: ofUdfs(layout.udfFields),
      ...(layout.withPrevious === true && {
        previousFields: ofFields(layout.fields.filter(isSubscribed)),
        previousUserDefinedFields: ofUdfs(layout.udfFields.filter(isSubscribed)),
      }),
      eventTime,
      sequenceNumber,
      personID,
      ...(webhook.merges && { mergedEventIDs: mergedEventIds }),
    },
    {
      action: 'action',
      values: ['fields', 'userDefinedFields'],
      previous: ['previousFields', 'previousUserDefinedFields'],
      merged: 'mergedEventIDs',
    },
  );
}

/** Names of keys, which differ between the formats. */
interface KeysOfBody {
  readonly action: string;
  readonly values: readonly string[];
  readonly previous: readonly string[];
  readonly merged: string;
}

const mergedEventIds = {
  type: 'array',
  items: { type: 'string' },
  minItems: 2,
  description: 'The events that it carries, in order, where changes were merged into it.',
};

const nothing = { type: 'object', maxProperties: 0 };

function bodySchema(properties: Schema, { action, values, previous, merged }: KeysOfBody): Schema {
  const names = Object.keys(properties);
  const without = (keys: readonly string[], set: unknown) =>
    Object.fromEntries(keys.filter((key) => names.includes(key)).map((key) => [key, set]));
  const when = (actions: readonly string[], then: Schema) => ({
    if: { properties: { [action]: { enum: actions } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nobody awaits it.
    then,
  });
  const beforeOf = names.filter((name) => previous.includes(name));
  const optional = [...previous, merged];
  return {
    type: 'object',
    properties,
    required: names.filter((name) => !optional.includes(name)),
    additionalProperties: false,
    allOf: [
      when(['Delete', 'Deactivated'], { properties: without(values, nothing) }),
      ...(names.includes(merged) ? [when(actionsWithoutEvent, { properties: { [merged]: false } })] : []),
      ...(beforeOf.length === 0
        ? []
        : [
            when(['Create', 'Delete'], { properties: without(previous, nothing) }),
            when(allActions, { required: beforeOf }),
            when(actionsWithoutEvent, { properties: without(previous, false) }),
          ]),
    ],
  };
}

/** No field is required: missing values are left out, as are values that have not changed. */
function valuesSchema<Field extends ShownSystemField | ShownUdf>(
  { describe }: DescribedWebhook,
  fields: readonly Field[],
  nameOf: (field: Field) => string,
  valueOf: (field: Field, dataType: DataType) => Schema,
): Schema {
  const schemas = fields.map((field) => {
    const described = describe(field);
    return [nameOf(field), { description: inWords(field, described), ...valueOf(field, described.dataType) }] as const;
  });
  const odd = schemas.filter(([name]) => name === '__proto__').map(([name, schema]) => [`^${name}$`, schema]);
  return {
    type: 'object',
    properties: Object.fromEntries(schemas.filter(([name]) => name !== '__proto__')),
    // Validators in JavaScript do not see a property of this name.
    ...(odd.length > 0 && { patternProperties: Object.fromEntries(odd) as Schema }),
    additionalProperties: false,
  };
}

/** More values are no help in a description. */
const MOST_VALUES = 20;

/** Such as `How the company is related to you. list (1 = Customer, 2 = Lead), when it changed.` */
function inWords({ isDisplayAlways }: ShownSystemField | ShownUdf, described: FieldDescription): string {
  const { description, dataType, picklistValues } = described;
  const values = picklistValues.slice(0, MOST_VALUES).map(({ value, label }) => `${value} = ${label}`);
  if (picklistValues.length > MOST_VALUES) values.push('…');
  const type = values.length === 0 ? dataType : `${dataType} (${values.join(', ')})`;
  const when = isDisplayAlways ? 'always displayed' : 'when it changed';
  return [description, `${type}, ${when}.`].filter((part) => part !== '').join(' ');
}

const decimal = String.raw`^-?\d+(\.\d+)?$`;

/** The text of a value of each type. */
const texts: Readonly<Record<DataType, Schema>> = {
  string: {},
  integer: { pattern: String.raw`^-?\d+$` },
  long: { pattern: String.raw`^-?\d+$` },
  list: { pattern: String.raw`^\d+$` },
  double: { pattern: decimal },
  decimal: { pattern: decimal },
  boolean: { enum: ['true', 'false', null] },
  datetime: moment,
};

function referenceValue(_field: unknown, dataType: DataType): Schema {
  return { ...texts[dataType], type: ['string', 'null'] };
}

/** The JSON of a value of each type. */
const jsons: Readonly<Record<DataType, Schema>> = {
  string: { type: ['string', 'null'] },
  integer: { type: ['integer', 'null'] },
  long: { type: ['integer', 'null'] },
  list: { type: ['integer', 'null'] },
  // Text where a 64-bit float cannot hold it digit for digit.
  double: { type: ['number', 'string', 'null'], pattern: decimal },
  decimal: { type: ['number', 'string', 'null'], pattern: decimal },
  boolean: { type: ['boolean', 'null'] },
  datetime: { ...moment, type: ['string', 'null'] },
};

function typedValueSchema({ labels }: ShownSystemField | ShownUdf, dataType: DataType): Schema {
  if (labels === undefined) return jsons[dataType];
  const { type, ...value } = jsons[dataType];
  return {
    type: ['object', 'null'],
    properties: {
      value: {
        ...value,
        description: 'The value itself.',
        type: (type as readonly string[]).filter((one) => one !== 'null'),
      },
      label: { type: ['string', 'null'], description: 'null: the value has none.' },
    },
    required: ['value', 'label'],
    additionalProperties: false,
  };
}

function cloudEventSchema(webhook: DescribedWebhook, { source, entity }: CloudEventOrigin, data: Schema): Schema {
  return {
    type: 'object',
    properties: {
      specversion: { const: '1.0', description: 'The version of CloudEvents.' },
      id: { type: 'string', format: 'uuid', description: 'The webhook-id: the same for every attempt.' },
      source: { const: source, description: 'Installation, tenant and webhook.' },
      type: {
        enum: actionsOf(webhook).map((action) => cloudEventType(action, entity)),
        description: 'What happened, to a record or to the webhook itself.',
      },
      subject: { type: 'string', description: 'The record, such as Companies/42.' },
      time: { ...moment, description: 'When it happened, in UTC.' },
      datacontenttype: { const: 'application/json', description: 'The type of data.' },
      sequence: { type: 'string', pattern: String.raw`^\d{16}$`, description: 'The sequenceNumber, as text in order.' },
      data: { ...data, description: 'The body of the format typed.' },
    },
    required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'sequence', 'data'],
    additionalProperties: false,
  };
}
