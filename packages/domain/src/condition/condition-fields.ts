import type { DataType, EntityDefinition } from '../catalogue/catalogue.ts';
import type { QueryableCollection } from '../query/collection.ts';
import { foldText } from '../query/fold-text.ts';

/** A user-defined field that a condition may name. */
export interface ComparableUdf {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly dataType: DataType;
}

/** The fields that conditions of an entity's webhooks may name. */
export interface ConditionFields extends QueryableCollection {
  /** Whether webhooks may show a field, and therefore compare the field. The id is in every callout. */
  readonly isVisible: (name: string) => boolean;
}

/** User-defined fields are found by name, or by label where no name fits. */
export function conditionFieldsOf(entity: EntityDefinition, udfs: readonly ComparableUdf[]): ConditionFields {
  let byFoldedName: ReadonlyMap<string, ComparableUdf> | undefined;
  const isVisible = (name: string) => name === 'id' || entity.fieldByName(name)?.isSupportedWebhookField === true;
  return {
    name: entity.collection,
    fieldByName: (name) => entity.fieldByName(name),
    get fieldNames() {
      return entity.fields.map(({ name }) => name).filter(isVisible);
    },
    udfByName: (nameOrLabel) => {
      byFoldedName ??= indexed(udfs);
      return byFoldedName.get(foldText(nameOrLabel));
    },
    isVisible,
  };
}

/** By name, or label where no name fits. Made once: a condition has fifty names, and a tenant perhaps a thousand fields. */
function indexed(udfs: readonly ComparableUdf[]): ReadonlyMap<string, ComparableUdf> {
  const byLabel = udfs.map((udf): [string, ComparableUdf] => [foldText(udf.label), udf]);
  return new Map([...byLabel, ...udfs.map((udf): [string, ComparableUdf] => [foldText(udf.name), udf])]);
}
