import type { Catalogue, DataType, EntityDefinition } from '../catalogue/catalogue.ts';
import { readUpdateId } from '../webhook/child-input.ts';
import { foldKeys, knownKeys } from '../input/fold-keys.ts';
import { Problem, type ProblemDetail } from '../errors/problem.ts';
import { readKeys, refuseKey } from '../input/read-keys.ts';
import { inputsOf, keysOf, requiredOf } from './field-table.ts';
import { udfDefinitionFields, type UdfDataType } from './udf-definition-fields.ts';
import { readListValues, type UdfListValue } from './udf-list-values.ts';

/** The longest text that a user-defined field holds, in UTF-16 units: as the longest field that a catalogue has. */
export const maxUdfTextLength = 32_000;

/** What may be changed of a user-defined field. Name and label are matched ignoring case and sent as they are. */
export interface UdfDefinitionSettings {
  readonly name: string;
  readonly label: string;
  /** What a list may take; empty for every other type. */
  readonly listValues: readonly UdfListValue[];
}

/** A user-defined field to be created. */
export interface UdfDefinitionCreate extends UdfDefinitionSettings {
  readonly entityType: string;
  readonly dataType: UdfDataType;
}

/** What a definition is before it is changed. */
export interface StoredUdfDefinition extends UdfDefinitionSettings {
  readonly entityType: string;
  readonly dataType: DataType;
}

/** An update of one definition. `fixed`: what cannot change, as far as the body repeats it. */
export interface UdfDefinitionUpdate {
  readonly id: number;
  readonly changes: Partial<UdfDefinitionSettings>;
  readonly fixed: { readonly entityType?: string; readonly dataType?: string };
}

/** The keys of a definition that mean something in a body. */
export const knownUdfDefinitionKeys = knownKeys(keysOf(udfDefinitionFields));

const inputs = inputsOf(udfDefinitionFields);

/**
 * Reads the body of a definition's POST; the label is the name when it is left out. Throws an `invalid` Problem with
 * everything that is wrong, or a `conflict` when the name or label is that of a field of the entity.
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

/** Reads the body of a definition's PATCH; the id is in the body, the path, or both alike. Throws an `invalid` Problem. */
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
 * What an update makes of a definition. Throws an `invalid` Problem when it would change what is fixed or gives list
 * values to what is no list, a `conflict` when the name or label is that of a field of the entity.
 */
export function changedUdfDefinition(
  stored: StoredUdfDefinition,
  { changes, fixed }: UdfDefinitionUpdate,
  entity: EntityDefinition,
): UdfDefinitionSettings {
  const problems: ProblemDetail[] = [];
  for (const key of ['entityType', 'dataType'] as const) {
    const given = fixed[key];
    if (given !== undefined && given.toLowerCase() !== stored[key].toLowerCase()) {
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

/** In a callout both kinds of fields share one object, and in bodies both are named alike. */
function refuseFieldNames(settings: UdfDefinitionSettings, entity: EntityDefinition): void {
  const taken = (['name', 'label'] as const).flatMap((key): ProblemDetail[] => {
    const field = entity.fieldByName(settings[key]);
    const message = `${key} ${JSON.stringify(settings[key])} is that of a field of ${entity.entityType}`;
    return field === undefined ? [] : [{ code: 'duplicate', field: key, message }];
  });
  if (taken.length > 0) throw Problem.conflict(taken);
}
