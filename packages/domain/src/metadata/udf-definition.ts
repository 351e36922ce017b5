import type { Catalogue, DataType, EntityDefinition } from '../catalogue/catalogue.ts';
import { readUpdateId } from '../input/read-update-id.ts';
import { foldKeys, knownKeys } from '../input/fold-keys.ts';
import { Problem, type ProblemDetail } from '../problem.ts';
import { readKeys, refuseKey } from '../input/read-keys.ts';
import { inputsOf, keysOf, requiredOf } from './field-table.ts';
import { udfDefinitionFields, type UdfDataType } from './udf-definition-fields.ts';
import { readListValues, type UdfListValue } from './udf-list-values.ts';

/** Maximum length of a user-defined field in UTF-16 units: that of the longest field in a catalogue. */
export const maxUdfTextLength = 32_000;

/** The changeable settings of a user-defined field. Name and label are matched ignoring case and sent as they are. */
export interface UdfDefinitionSettings {
  readonly name: string;
  readonly label: string;
  /** The permitted values of a list; empty for every other type. */
  readonly listValues: readonly UdfListValue[];
}

/** A user-defined field to be created. */
export interface UdfDefinitionCreate extends UdfDefinitionSettings {
  readonly entityType: string;
  readonly dataType: UdfDataType;
}

/** A definition before it is changed. */
export interface StoredUdfDefinition extends UdfDefinitionSettings {
  readonly entityType: string;
  readonly dataType: DataType;
}

/** An update of one definition. `fixed`: the unchangeable settings that the body repeats. */
export interface UdfDefinitionUpdate {
  readonly id: number;
  readonly changes: Partial<UdfDefinitionSettings>;
  readonly fixed: { readonly entityType?: string; readonly dataType?: string };
}

/** The known keys of a definition in a body. */
export const knownUdfDefinitionKeys = knownKeys(keysOf(udfDefinitionFields));

const inputs = inputsOf(udfDefinitionFields);

/**
 * Reads the body of a definition's POST; the label is the name when it is left out. Throws an `invalid` Problem with
 * all mistakes, or a `conflict` when the name or label belongs to a field of the entity.
 */
export function parseUdfDefinitionCreate(body: unknown, catalogue: Catalogue): UdfDefinitionCreate {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownUdfDefinitionKeys);
  const { entityType, name, dataType, ...read } = readKeys(folded, inputs, problems, {
    nullIsAbsent: true,
    required: requiredOf(udfDefinitionFields, 'create'),
  });
  const entity = entityType === undefined ? undefined : catalogue.byEntityType(entityType);
  if (entityType !== undefined && entity?.hasUserDefinedFields !== true) {
    const able = catalogue.entities.filter((one) => one.hasUserDefinedFields).map((one) => one.entityType);
    refuseKey(problems, 'entityType', `must be one of ${able.join(', ')}`);
  }
  const listValues = readListValues(folded, problems, { nullIsAbsent: true }) ?? [];
  if (dataType !== undefined) checkListValues(dataType, listValues, problems);
  if (!entity || !name || !dataType || problems.length > 0) throw Problem.invalid(problems);
  const settings = { name, label: read.label ?? name, listValues };
  refuseFieldNames(settings, entity);
  return { ...settings, entityType: entity.entityType, dataType };
}

/**
 * Reads the body of a definition's PATCH; the id is in the body, the path, or both alike. Throws an `invalid` Problem.
 */
export function parseUdfDefinitionPatch(body: unknown, pathId?: number): UdfDefinitionUpdate {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownUdfDefinitionKeys);
  const id = readUpdateId(folded, pathId, problems);
  const { name, label, entityType, dataType } = readKeys(folded, inputs, problems);
  const listValues = readListValues(folded, problems);
  if (id === undefined || problems.length > 0) throw Problem.invalid(problems);
  return {
    id,
    changes: { ...(name && { name }), ...(label && { label }), ...(listValues && { listValues }) },
    fixed: { ...(entityType && { entityType }), ...(dataType && { dataType }) },
  };
}

/**
 * The definition after an update. Throws an `invalid` Problem when the update would change an unchangeable setting or
 * gives list values to another type, a `conflict` when the name or label belongs to a field of the entity.
 */
export function changedUdfDefinition(
  stored: StoredUdfDefinition,
  { changes, fixed }: UdfDefinitionUpdate,
  entity: EntityDefinition,
): UdfDefinitionSettings {
  const problems: ProblemDetail[] = [];
  for (const key of ['entityType', 'dataType'] as const) {
    const fixedValue = fixed[key];
    if (fixedValue !== undefined && fixedValue.toLowerCase() !== stored[key].toLowerCase()) {
      refuseKey(problems, key, `is ${stored[key]} and cannot be changed; create another definition instead`);
    }
  }
  const settings = { name: stored.name, label: stored.label, listValues: stored.listValues, ...changes };
  checkListValues(stored.dataType, settings.listValues, problems);
  if (problems.length > 0) throw Problem.invalid(problems);
  refuseFieldNames(settings, entity);
  return settings;
}

function checkListValues(dataType: DataType, listValues: readonly UdfListValue[], problems: ProblemDetail[]): void {
  if (problems.some(({ field }) => field?.startsWith('listValues') === true)) return;
  if (dataType === 'list' && listValues.length === 0) refuseKey(problems, 'listValues', 'is required', 'required');
  if (dataType !== 'list' && listValues.length > 0) refuseKey(problems, 'listValues', 'is for the data type list only');
}

/** In a callout both kinds of fields share an object, and bodies name both in the same way. */
function refuseFieldNames(settings: UdfDefinitionSettings, entity: EntityDefinition): void {
  const duplicates = (['name', 'label'] as const).flatMap((key): ProblemDetail[] => {
    const field = entity.fieldByName(settings[key]);
    const message = `${key} ${JSON.stringify(settings[key])} is that of a field of ${entity.entityType}`;
    return field === undefined ? [] : [{ code: 'duplicate', field: key, message }];
  });
  if (duplicates.length > 0) throw Problem.conflict(duplicates);
}
