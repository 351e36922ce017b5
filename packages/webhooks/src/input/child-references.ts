import type { z } from 'zod';
import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import type { ProblemDetail } from '@callout/domain/problem';
import { inputsOf } from '@callout/domain/metadata/field-table';
import { childTargets } from './child-fields.ts';
import { foldText } from '@callout/domain/query/fold-text';
import { nearestHint } from '@callout/domain/input/nearest-name';
import { readKeys, refuseKey } from '@callout/domain/input/read-keys';

/** A user-defined field that a body may name by id, name or label. */
export interface UdfReference {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

/** How bodies refer to things of one kind: by an id, or by a name. */
export interface Naming<T> {
  readonly idKey: string;
  /** How the id and each of the names are read. */
  readonly inputs: Readonly<Record<string, z.ZodType<number | string>>>;
  /** For messages: `fieldID 9 is no field of Account`. */
  readonly kind: string;
  readonly byID: (id: number) => T | undefined;
  readonly byName: (name: string) => T | undefined;
  /** All names, for "did you mean". */
  readonly names: () => Iterable<string>;
  /** Where the permitted ones can be read. */
  readonly listedAt: string;
  /** Why an existing thing is not permitted here, continuing a sentence that begins with the key. */
  readonly refusal?: (subject: T) => string | undefined;
}

const fieldInputs = inputsOf(childTargets.fields);
const udfInputs = inputsOf(childTargets.udfFields);

/**
 * System fields: `fieldID`, or `field` with the catalogue's name. Only some may trigger callouts or be shown in them.
 */
export function fieldNaming(entity: EntityDefinition): Naming<FieldDefinition> {
  const listedAt = `/${entity.webhookSingular}Fields/entityInformation/fields`;
  return {
    idKey: 'fieldID',
    inputs: fieldInputs,
    kind: `field of ${entity.entityType}`,
    byID: (fieldID) => entity.fieldByID(fieldID),
    byName: (name) => entity.fieldByName(name),
    names: () => entity.fields.filter((field) => field.isSupportedWebhookField).map(({ name }) => name),
    listedAt,
    refusal: ({ isSupportedWebhookField, name }) =>
      isSupportedWebhookField
        ? undefined
        : `names ${name}, which is not supported in webhooks: GET ${listedAt} lists the fields that are`,
  };
}

/** User-defined fields: `udfFieldID`, or `udfField` (or `name`) with their name, or their label where no name fits. */
export function udfNaming(entity: EntityDefinition, definitions: readonly UdfReference[]): Naming<UdfReference> {
  return {
    idKey: 'udfFieldID',
    inputs: udfInputs,
    kind: `user-defined field of ${entity.entityType}`,
    names: () => definitions.flatMap(({ name, label }) => [name, label]),
    listedAt: `/${entity.collection}/entityInformation/userDefinedFields`,
    byID: (udfFieldID) => definitions.find(({ id }) => id === udfFieldID),
    byName: (text) => {
      const folded = foldText(text);
      const byName = definitions.find(({ name }) => foldText(name) === folded);
      return byName ?? definitions.find(({ label }) => foldText(label) === folded);
    },
  };
}

export interface ReferenceOptions {
  /** The path of the object in the body, e.g. `fields[0].`; empty at the top. */
  readonly path?: string;
  readonly isRequired: boolean;
}

/**
 * The thing to which a body refers, by id or by name or, when both agree, by both. undefined, with a problem added to
 * `problems`, when it does not exist; undefined without a problem when the body has no reference and needs none.
 */
export function readReference<T>(
  body: Readonly<Record<string, unknown>>,
  naming: Naming<T>,
  problems: ProblemDetail[],
  { path = '', isRequired }: ReferenceOptions,
): T | undefined {
  const problemsBefore = problems.length;
  const read = readKeys(body, naming.inputs, problems, { path, nullIsAbsent: true });

  const subjects: T[] = [];
  for (const [key, value] of Object.entries(read)) {
    if (value === undefined) continue;
    const one = typeof value === 'number' ? naming.byID(value) : naming.byName(value);
    const refusal = one === undefined ? undefined : naming.refusal?.(one);
    if (one === undefined) refuseKey(problems, `${path}${key}`, unknown(value, naming, problems), 'unknownField');
    else if (refusal !== undefined) refuseKey(problems, `${path}${key}`, refusal);
    else subjects.push(one);
  }
  if (problems.length > problemsBefore) return undefined;
  const [first] = subjects;
  if (first === undefined && isRequired) {
    const nameKey = Object.keys(naming.inputs).find((key) => key !== naming.idKey);
    refuseKey(problems, `${path}${naming.idKey}`, `is required; a name goes into ${path}${nameKey}`, 'required');
  }
  if (subjects.every((one) => one === first)) return first;
  refuseKey(problems, `${path}${naming.idKey}`, 'and the name beside it are different fields');
  return undefined;
}

/** The problem with an unknown name or id: a similar name, or where to find the right ones. */
function unknown<T>(value: number | string, naming: Naming<T>, problems: readonly ProblemDetail[]): string {
  const hint = typeof value === 'string' ? nearestHint(value, naming.names(), problems) : '';
  return `${value} is no ${naming.kind}${hint === '' ? `: GET ${naming.listedAt} lists them` : hint}`;
}
