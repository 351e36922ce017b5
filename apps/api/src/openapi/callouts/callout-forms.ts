import { bodyOf, type CalloutEnvelope } from '@callout/domain/callout/callout-body';
import type { PayloadLayout } from '@callout/domain/callout/payload';
import { cloudEventType } from '@callout/domain/callout/cloud-event';
import type { PayloadFormat } from '@callout/domain/callout/payload-format';
import { payloadSchema } from '@callout/domain/callout/payload-schema';
import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { actions, type CalloutAction } from '@callout/domain/event';
import { toWireValue } from '@callout/domain/values/values';
import { layoutOf } from '@callout/pipeline/match/layout.rules';
import { exampleValue } from '../../http/operation/example-values.ts';
import { capital } from '../../http/operation/names.ts';
import type { Json } from '../document-types.ts';

/** A body in a format. */
export interface CalloutForm {
  readonly schema: Json;
  /** A sent body, parsed. */
  readonly example: unknown;
}

/** A callout in each format, and the components of the schemas. */
export interface CalloutForms extends Readonly<Record<PayloadFormat, CalloutForm>> {
  readonly components: Readonly<Record<string, Json>>;
}

export interface DescribedCallout {
  /** Of the components: `Company` makes `CompanyCallout` and `CompanyTypedCallout`. */
  readonly name: string;
  readonly actions: readonly CalloutAction[];
  /** The possible entities of the callout; the example is about the first. */
  readonly entities: readonly [EntityDefinition, ...EntityDefinition[]];
  /** Of the example. */
  readonly envelope: CalloutEnvelope & { readonly id: string };
  /** The fields of the example; empty: the callout is about no record. */
  readonly fields: readonly FieldDefinition[];
}

/**
 * The schemas and examples of a callout in each format, by the functions that make the PayloadSchema and the bodies of
 * a webhook with all fields. What differs from webhook to webhook is left open: GUID, user-defined fields, and which
 * keys depend on which action.
 */
export function calloutForms(described: DescribedCallout): CalloutForms {
  const { name, entities, envelope, fields } = described;
  const [entity] = entities;
  const formOf = (format: PayloadFormat, component: string): CalloutForm => ({
    schema: ref(component),
    example: JSON.parse(exampleBody(entity, fields, format, envelope)),
  });
  return {
    reference: formOf('reference', `${name}Callout`),
    typed: formOf('typed', `${name}TypedCallout`),
    cloudevents: formOf('cloudevents', `${name}CloudEvent`),
    components: { ...referenceComponents(described), ...typedComponents(described) },
  };
}

function referenceComponents(described: DescribedCallout): Record<string, Json> {
  const { name, fields } = described;
  const { body, supported } = schemaOfAll(described, 'reference');
  const values = ref(`${name}CalloutFields`);
  if (fields.length === 0) return { [`${name}Callout`]: opened(described, body, capital, { Fields: nothing }) };
  const description =
    'Values as text, null = known to be empty, by name with a capital first letter; user-defined fields by their label. An update has the changed subscribed fields and the always displayed ones; a deletion has none.';
  const ofFields = describedFields(propertiesOf(body)['Fields'], supported, ({ payloadKey }) => payloadKey);
  return {
    [`${name}Callout`]: opened(described, body, capital, {
      Fields: { ...values, description: valuesText },
      PreviousFields: { ...values, description: previousText },
    }),
    [`${name}CalloutFields`]: { ...ofFields, additionalProperties: true, description },
  };
}

function typedComponents(described: DescribedCallout): Record<string, Json> {
  const { name, actions: of, entities, fields } = described;
  const [entity] = entities;
  const { body, supported } = schemaOfAll(described, 'typed');
  const values = ref(`${name}TypedFields`);
  const userDefined = { type: 'object', additionalProperties: true, description: 'By their labels.' };
  const isOfRecord = fields.length > 0;
  const typed = isOfRecord
    ? {
        fields: { ...values, description: valuesText },
        userDefinedFields: userDefined,
        previousFields: { ...values, description: previousText },
        previousUserDefinedFields: userDefined,
      }
    : { fields: nothing, userDefinedFields: nothing };
  const event = schemaOf(entity, layout(entity, [], 'cloudevents'), of);
  const { specversion, source, type, datacontenttype, data, ...ofEvent } = propertiesOf(event);
  const singular = entity.singular.charAt(0).toLowerCase() + entity.singular.slice(1);
  const cloudEvent = {
    ...event,
    properties: {
      ...ofEvent,
      specversion: asEnum(specversion),
      source: { type: 'string', format: 'uri-reference', description: source?.['description'] },
      type: { ...type, enum: of.map((action) => cloudEventType(action, singular)) },
      datacontenttype: asEnum(datacontenttype),
      data: { ...ref(`${name}TypedCallout`), description: data?.['description'] },
    },
  };
  const ofFields = describedFields(propertiesOf(body)['fields'], supported, (field) => field.name);
  return {
    ...(isOfRecord && { [`${name}TypedFields`]: ofFields }),
    [`${name}TypedCallout`]: opened(described, body, (key) => key, typed),
    [`${name}CloudEvent`]: tidy(cloudEvent),
  };
}

const valuesText = 'The values of the fields.';
const previousText = 'Only with includePreviousValues: what they were before.';

/** The body of a webhook with all fields, and some further keys. */
function schemaOfAll({ actions: of, entities, fields }: DescribedCallout, format: 'reference' | 'typed') {
  const [entity] = entities;
  const isOfRecord = fields.length > 0;
  const supported = entity.fields.filter((field) => isOfRecord && field.isSupportedWebhookField);
  return { body: schemaOf(entity, layout(entity, supported, format, isOfRecord), of), supported };
}

/**
 * The body of any webhook. @param keyOf the spelling of keys in the format. @param furtherProperties the properties
 * with values.
 */
function opened(
  { actions: of, entities }: DescribedCallout,
  body: Json,
  keyOf: (key: string) => string,
  furtherProperties: Json,
): Json {
  const properties = propertiesOf(body);
  const entityType = asEnum(properties[keyOf('entityType')]);
  const long = (key: string) => ({ [keyOf(key)]: { ...properties[keyOf(key)], format: 'int64' } });
  return tidy({
    ...body,
    properties: {
      ...properties,
      ...long('id'),
      ...long('sequenceNumber'),
      [keyOf('action')]: { ...properties[keyOf('action')], enum: of },
      [keyOf('guid')]: { type: 'string', format: 'uuid', description: 'The webhookGUID.' },
      [keyOf('entityType')]: { ...entityType, enum: entities.map((one) => one.entityType) },
      ...furtherProperties,
    },
  });
}

const nothing = { type: 'object', maxProperties: 0, description: 'None.' };
/** A constant in the form that most generators of programs read. */
const asEnum = ({ const: value, ...rest }: Json = {}): Json => ({ ...rest, enum: [value] });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const propertiesOf = ({ properties }: Json) => properties as Readonly<Record<string, Json>>;

/** The layout of a webhook for some fields, without user-defined fields. */
function layout(
  entity: EntityDefinition,
  fields: readonly FieldDefinition[],
  format: PayloadFormat,
  includePreviousValues = false,
): PayloadLayout {
  const place = { zoneGuid: '', zoneName: 'eu', zoneUrl: 'https://eu.example.com', tenantName: 'acme' };
  return layoutOf(
    {
      ...{ webhookKey: 1, webhookId: 1, webhookGuid: '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11', version: 1 },
      ...{ isActive: true, activatedAt: null, onCreate: true, onUpdate: true, onDelete: true, excludedResourceIds: [] },
      fields: fields.map(({ name }) => ({ name, isSubscribed: true, isDisplayAlways: false })),
      udfFields: [],
      payload: { format, includePreviousValues, place: format === 'cloudevents' ? place : null },
    },
    entity,
  );
}

/** A body in a format, with example values of changed fields. */
export function exampleBody(
  entity: EntityDefinition,
  fields: readonly FieldDefinition[],
  format: PayloadFormat,
  envelope: CalloutEnvelope & { readonly id: string },
): string {
  const values = fields.map((field) => {
    const wire = toWireValue(field, exampleValue(field));
    return [field.name, wire.ok ? wire.value : null] as const;
  });
  const input = {
    action: 'Update',
    fields: Object.fromEntries(values),
    udfFields: {},
    changedFields: fields.map(({ name }) => name),
    changedUdfs: [],
    previous: { fields: {}, udfFields: {} },
  } as const;
  return bodyOf(envelope, fields.length === 0 ? null : input, layout(entity, fields, format));
}

function schemaOf(entity: EntityDefinition, shown: PayloadLayout, of: readonly CalloutAction[]): Json {
  const {
    $schema: _dialect,
    title: _title,
    allOf: _conditions,
    ...schema
  } = payloadSchema({
    ...{ name: '', guid: '', entityType: entity.entityType, actions, layout: shown },
    merges: !of.includes('Deactivated'),
    describe: ({ key }) => {
      const { dataType = 'string', picklistValues = [] } =
        entity.fields.find(({ payloadKey }) => payloadKey === key) ?? {};
      return { dataType, picklistValues, description: '' };
    },
  });
  return schema;
}

/**
 * Fields with their descriptions of the catalogue: types are in the schema, and webhooks decide when a field is sent.
 */
function describedFields(
  schema: Json = {},
  fields: readonly FieldDefinition[],
  keyOf: (field: FieldDefinition) => string,
): Json {
  const described = Object.entries(propertiesOf(schema)).map(([key, property]) => {
    const { description = '' } = fields.find((one) => keyOf(one) === key) ?? {};
    return [key, { ...property, description }] as const;
  });
  return tidy({ ...schema, properties: Object.fromEntries(described) });
}

/** Without what generators of programs do not understand: several types in a list, and enums without a type. */
function tidy(schema: Json): Json {
  const { type, properties, items, pattern, format, ...rest } = schema;
  const isNumber = Array.isArray(type) && type.includes('number');
  const inner = {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Readonly<Record<string, Json>>).map(([name, one]) => [name, tidy(one)]),
      ),
    }),
    ...(items !== undefined && { items: tidy(items as Json) }),
    // The name of a format is enough.
    ...(format !== undefined && { format }),
    ...(format === undefined && pattern !== undefined && !isNumber && { pattern }),
  };
  if (isNumber) return { ...inner, anyOf: [{ type: ['number', 'null'] }, { type: 'string', pattern }] };
  if (type !== undefined) return { type, ...inner };
  return rest['enum'] === undefined ? inner : { type: 'string', ...inner };
}
