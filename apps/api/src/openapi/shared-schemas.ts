import { type Catalogue, dataTypes, type EntityDefinition } from '@callout/core/catalogue';
import { problemCodes } from '@callout/core/errors';
import { udfDataTypes } from '@callout/core/metadata';
import { maxPageSize, operatorNames } from '@callout/core/query';
import { httpProblemCodes } from '../http/errors/http-problem.ts';
import { arrayOf, object, orNull, ref, requiring, type Json } from './json-schema.ts';

const text: Json = { type: 'string' };
const flag: Json = { type: 'boolean' };
const whole: Json = { type: 'integer' };
const anyId: Json = { type: 'integer', format: 'int64', minimum: 1 };
const access: Json = { type: 'integer', enum: [0, 1, 2], description: '0 = nothing, 1 = everything, 2 = some of it' };
const fieldName: Json = { type: 'string', maxLength: 255 };

/** No enum: more codes may come, and clients made from this document should live with them. */
const problemCode: Json = {
  type: 'string',
  description: Object.entries({ ...problemCodes, ...httpProblemCodes })
    .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
    .join('\n'),
};

const storedUdfValue: Json = {
  type: ['string', 'null'],
  description: 'As callouts have it: `"12"`, `"1.25"`, `"true"`, `"2025-09-15T15:10:00Z"`; null = empty',
};
const givenUdfValue: Json = {
  type: ['string', 'number', 'boolean', 'null'],
  description: 'As text or as a JSON value: `"12"` or `12`; null = empty',
};

/** Every envelope, and what is the same in any installation. */
export function envelopeSchemas(): Json {
  return {
    Failure: object(
      {
        errors: { ...arrayOf(text), description: 'What is wrong, a sentence each' },
        details: arrayOf(object({ code: problemCode, field: text, message: text }, ['code', 'message'])),
      },
      ['errors', 'details'],
    ),
    EntityInformation: object({ info: informationSchema }, ['info']),
    FieldInformation: object({ fields: arrayOf(fieldInformationSchema) }, ['fields']),
    UserDefinedFieldInformation: object({ fields: arrayOf(userDefinedFieldSchema) }, ['fields']),
    UserDefinedFieldValue: object({ name: text, value: storedUdfValue }, ['name', 'value']),
    UserDefinedFieldInput: object({ name: text, value: givenUdfValue }, ['name']),
    Query: object({
      MaxRecords: { type: 'integer', minimum: 1, maximum: maxPageSize, default: maxPageSize },
      IncludeFields: arrayOf(text),
      Filter: arrayOf(ref('Condition')),
    }),
    Condition: object(
      {
        op: { type: 'string', enum: operatorNames },
        field: text,
        value: {},
        udf: flag,
        items: { ...arrayOf(ref('Condition')), description: 'What a group of and / or consists of' },
      },
      ['op'],
    ),
  };
}

const informationSchema = object({
  name: text,
  canCreate: flag,
  canDelete: flag,
  canQuery: flag,
  canUpdate: flag,
  userAccessForCreate: access,
  userAccessForDelete: access,
  userAccessForQuery: access,
  userAccessForUpdate: access,
  hasUserDefinedFields: flag,
  supportsWebhookCallouts: flag,
});

const picklistValue = object({
  value: text,
  label: text,
  isDefaultValue: flag,
  sortOrder: whole,
  parentValue: text,
  isActive: flag,
  isSystem: flag,
});

const informationOfAnyField: Json = {
  name: text,
  dataType: { type: 'string', enum: dataTypes },
  length: { type: 'integer', description: 'The longest text in UTF-16 units; 0 = no text, or no limit' },
  isRequired: flag,
  isReadOnly: flag,
  isQueryable: flag,
  isReference: flag,
  referenceEntityType: text,
  isPickList: flag,
  picklistValues: { type: ['array', 'null'], items: picklistValue },
  picklistParentValueField: text,
  isSupportedWebhookField: flag,
};

const fieldInformationSchema = object({ fieldID: whole, ...informationOfAnyField });

const userDefinedFieldSchema = object({
  ...informationOfAnyField,
  label: text,
  type: { type: 'string', enum: dataTypes, description: 'The data type, as the metadata of system fields spells it' },
  dataType: { type: 'string', enum: udfDataTypes, description: 'The data type, as the definition spells it' },
  description: text,
  defaultValue: orNull(text),
});

/** The definitions of user-defined fields. */
export function definitionSchemas({ entities }: Catalogue): Json {
  const able: readonly EntityDefinition[] = entities.filter((entity) => entity.hasUserDefinedFields);
  const settings = {
    entityType: { type: 'string', enum: able.map((entity) => entity.entityType) },
    name: fieldName,
    label: { ...fieldName, description: 'The key in callouts, exactly so; the name when it is left out' },
    dataType: { type: 'string', enum: udfDataTypes },
    listValues: arrayOf(object({ value: { type: ['string', 'integer'] }, label: fieldName }, ['value', 'label'])),
  };
  const definition = 'UserDefinedFieldDefinition';
  return {
    [definition]: object({ id: anyId, ...settings }),
    [`${definition}Create`]: object(settings, ['entityType', 'name', 'dataType']),
    [`${definition}Update`]: requiring(ref(definition), []),
  };
}
