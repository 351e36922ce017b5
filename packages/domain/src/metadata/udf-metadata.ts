import type { DataType, EntityDefinition } from '../catalogue/catalogue.ts';
import { maxUdfTextLength } from './udf-definition.ts';
import { describeField, type FieldMetadata } from './field-metadata.ts';
import { picklistOf } from './field.ts';

/** One field in the response of `…/entityInformation/userDefinedFields`. */
export interface UdfMetadata extends FieldMetadata {
  readonly label: string;
  /** The data type in the spelling of the metadata of system fields; `dataType` is that of the definition. */
  readonly type: DataType;
}

/** Other names of data types for clients of the API family: a decimal is a `double`, a list a picklist of texts. */
const systemTypes: Readonly<Partial<Record<DataType, DataType>>> = { decimal: 'double', list: 'string' };

/** The data of a user-defined field for its metadata. */
export interface DescribedUdf {
  readonly name: string;
  readonly label: string;
  readonly dataType: DataType;
  readonly picklistValues: readonly { readonly value: string; readonly label: string }[];
}

/** The user-defined fields of an entity, all of them optional. */
export function userDefinedFieldMetadata(entity: EntityDefinition, udfs: readonly DescribedUdf[]): UdfMetadata[] {
  return udfs.map(({ name, label, dataType, picklistValues }) => ({
    ...describeField(name, {
      // Definitions have no default.
      description: '',
      dataType,
      length: dataType === 'string' ? maxUdfTextLength : 0,
      ...(dataType === 'list' && { picklistValues: picklistOf(picklistValues, { isSystem: false }) }),
      isSupportedWebhookField: entity.supportsWebhookCallouts,
    }),
    label,
    type: systemTypes[dataType] ?? dataType,
  }));
}
