import type { DataType, EntityDefinition } from '../catalogue/catalogue.ts';
import { maxUdfTextLength } from './udf-definition.ts';
import { describeField, type FieldMetadata } from './field-metadata.ts';
import { picklistOf } from './field.ts';

/** What `…/entityInformation/userDefinedFields` says of one user-defined field. */
export interface UdfMetadata extends FieldMetadata {
  readonly label: string;
  /** The data type as the metadata of system fields spells it; `dataType` is the definition's own word. */
  readonly type: DataType;
  /** Definitions have none: always null, and a record made without a value is empty. */
  readonly defaultValue: null;
}

/** What clients of this API family know by another word: a decimal is a `double`, a list a picklist of texts. */
const systemTypes: Readonly<Partial<Record<DataType, DataType>>> = { decimal: 'double', list: 'string' };

/** A user-defined field, as far as its metadata goes. */
export interface DescribedUdf {
  readonly name: string;
  readonly label: string;
  readonly dataType: DataType;
  readonly picklistValues: readonly { readonly value: string; readonly label: string }[];
}

/** The user-defined fields of an entity: optional all of them. */
export function userDefinedFieldMetadata(entity: EntityDefinition, udfs: readonly DescribedUdf[]): UdfMetadata[] {
  return udfs.map(({ name, label, dataType, picklistValues }) => ({
    ...describeField(name, {
      // Definitions have none.
      description: '',
      dataType,
      length: dataType === 'string' ? maxUdfTextLength : 0,
      ...(dataType === 'list' && { picklistValues: picklistOf(picklistValues, { isSystem: false }) }),
      isSupportedWebhookField: entity.supportsWebhookCallouts,
    }),
    label,
    type: systemTypes[dataType] ?? dataType,
    defaultValue: null,
  }));
}
