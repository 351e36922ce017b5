export { errorLogMetadata, errorLogWebhookKey } from './error-log-metadata.ts';
export type { FieldMetadata } from './field-metadata.ts';
export { recordMetadata, userDefinedFieldMetadata } from './record-metadata.ts';
export { udfDefinitionMetadata } from './udf-definition-metadata.ts';
export {
  changedUdfDefinition,
  knownUdfDefinitionKeys,
  maxUdfTextLength,
  parseUdfDefinitionCreate,
  parseUdfDefinitionPatch,
  udfDataTypes,
  type UdfDefinitionCreate,
  type UdfDefinitionSettings,
} from './udf-definition.ts';
export {
  type ChildPlace,
  webhookExcludedResourceMetadata,
  webhookFieldMetadata,
  webhookMetadata,
  webhookUdfFieldMetadata,
} from './webhook-metadata.ts';
