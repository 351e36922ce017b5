import { bodyOf, type CalloutEnvelope } from '@callout/domain/callout/callout-body';
import type { PayloadLayout } from '@callout/domain/callout/payload';
import { cloudEventType } from '@callout/domain/callout/cloud-event';
import { payloadSchema } from '@callout/domain/callout/payload-schema';
import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { actions, type CalloutAction } from '@callout/domain/event/event';
import { toWireValue } from '@callout/domain/values/values';
import { layoutOf } from '@callout/pipeline/match/match-events.rules';
import { exampleValue } from '../../http/operation/example-values.ts';
import type { Json } from '../document-types.ts';

/** A body in one of the formats typed and cloudevents. */
export interface CalloutForm {
  readonly schema: Json;
  /** A body as it is sent, parsed. */
  readonly example: unknown;
}

/** A callout in the formats that are not `reference`, and the components that their schemas refer to. */
export interface CalloutForms {
  readonly typed: CalloutForm;
  readonly cloudevents: CalloutForm;
  readonly components: Readonly<Record<string, Json>>;
}

export interface DescribedCallout {
  /** Of the components: `Company` makes `CompanyTypedCallout`. */
  readonly name: string;
  readonly actions: readonly CalloutAction[];
  /** The entities that it may be about; the example is about the first. */
  readonly entities: readonly [EntityDefinition, ...EntityDefinition[]];
  /** Of the example. */
  readonly envelope: CalloutEnvelope & { readonly id: string };
  /** The fields that the example has; empty: the callout is about no record. */
  readonly fields: readonly FieldDefinition[];
}

/**
 * The schemas and examples of a callout in the formats typed and cloudevents, by the functions that make the
 * PayloadSchema and the bodies of a webhook: one that sends all fields. What differs from webhook to webhook is left
 * open: its GUID, its user-defined fields, and which keys depend on which action.
 */
export function calloutForms({ name, actions: of, entities, envelope, fields }: DescribedCallout): CalloutForms {
  const [entity] = entities;
  const supported = entity.fields.filter((field) => field.isSupportedWebhookField);
  const body = schemaOf(entity, layout(entity, fields.length === 0 ? [] : supported, 'typed', fields.length > 0), of);
  const event = schemaOf(entity, layout(entity, [], 'cloudevents'), of);
  const { fields: ofFields, ...properties } = propertiesOf(body);
  const values = ref(`${name}TypedFields`);
  const userDefined = { type: 'object', additionalProperties: true, description: 'By their labels.' };
  const typed = {
    ...body,
    properties: {
      ...properties,
      action: { ...properties['action'], enum: of },
      guid: { type: 'string', format: 'uuid', description: 'The webhookGUID.' },
      entityType: { ...asEnum(properties['entityType']), enum: entities.map(({ entityType }) => entityType) },
      ...(fields.length === 0
        ? { fields: nothing, userDefinedFields: nothing }
        : {
            fields: { ...values, description: 'The values of the fields.' },
            userDefinedFields: userDefined,
            previousFields: { ...values, description: 'Only with includePreviousValues: what they were before.' },
            previousUserDefinedFields: userDefined,
          }),
    },
  };
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
  const exampleIn = (format: 'typed' | 'cloudevents'): unknown =>
    JSON.parse(typedExample(entity, fields, format, envelope));
  return {
    typed: { schema: ref(`${name}TypedCallout`), example: exampleIn('typed') },
    cloudevents: { schema: ref(`${name}CloudEvent`), example: exampleIn('cloudevents') },
    components: {
      ...(fields.length > 0 && { [`${name}TypedFields`]: describedFields(ofFields ?? {}, supported) }),
      [`${name}TypedCallout`]: tidy(typed),
      [`${name}CloudEvent`]: tidy(cloudEvent),
    },
  };
}

const nothing = { type: 'object', maxProperties: 0, description: 'None.' };
/** A constant as generators of programs know it best. */
const asEnum = ({ const: value, ...rest }: Json = {}): Json => ({ ...rest, enum: [value] });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const propertiesOf = ({ properties }: Json) => properties as Readonly<Record<string, Json>>;

/** The layout of a webhook that watches these fields, without user-defined ones. */
function layout(
  entity: EntityDefinition,
  fields: readonly FieldDefinition[],
  format: 'typed' | 'cloudevents',
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

/** A body in one of these formats, with example values of fields that have just changed. */
export function typedExample(
  entity: EntityDefinition,
  fields: readonly FieldDefinition[],
  format: 'typed' | 'cloudevents',
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
  const hasDigests = of.includes('Digest');
  const {
    $schema: _dialect,
    title: _title,
    allOf: _conditions,
    ...schema
  } = payloadSchema({
    ...{ name: '', guid: '', entityType: entity.entityType, actions, hasDigests, layout: shown },
    merges: !hasDigests && !of.includes('Deactivated'),
    describe: ({ key }) => {
      const { dataType = 'string', picklistValues = [] } =
        entity.fields.find(({ payloadKey }) => payloadKey === key) ?? {};
      return { dataType, picklistValues, description: '' };
    },
  });
  return schema;
}

/** Fields with their descriptions of the catalogue: types are in the schema, and webhooks decide when they are sent. */
function describedFields(schema: Json, fields: readonly FieldDefinition[]): Json {
  const described = Object.entries(propertiesOf(schema)).map(([name, field]) => {
    const { description = '' } = fields.find((one) => one.name === name) ?? {};
    return [name, { ...field, description }] as const;
  });
  return tidy({ ...schema, properties: Object.fromEntries(described) });
}

/** Without what generators of programs do not understand: several types in one list, and enums without a type. */
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
