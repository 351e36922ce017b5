export { describedErrorLogFields, errorLogFields, errorLogWebhookKey } from './error-log-fields.ts';
export type { Field, FieldTable, WholeWrite } from './field.ts';
export { type FieldMetadata, metadataOf } from './field-metadata.ts';
export { requiredOf } from './field-table.ts';
export { recordFields, recordMetadata } from './record-fields.ts';
export { udfDataTypes, udfDefinitionFieldsOf } from './udf-definition-fields.ts';
export {
  changedUdfDefinition,
  knownUdfDefinitionKeys,
  maxUdfTextLength,
  parseUdfDefinitionCreate,
  parseUdfDefinitionPatch,
  type UdfDefinitionCreate,
  type UdfDefinitionSettings,
} from './udf-definition.ts';
export { userDefinedFieldMetadata } from './udf-metadata.ts';
