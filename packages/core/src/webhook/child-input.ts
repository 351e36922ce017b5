import type { EntityDefinition } from '../catalogue/catalogue.ts';
import { fieldNaming, readReference, udfNaming, type UdfReference } from './child-references.ts';
import { flagInput, idInput } from '../input/input-schemas.ts';
import type { ProblemDetail } from '../errors/problem.ts';
import { readKeys, refuseKey } from '../input/read-keys.ts';

/** What the body of a Field or UdfField record may refer to. */
export interface ChildInputContext {
  readonly entity: EntityDefinition;
  /** The user-defined fields of this tenant and entity. */
  readonly userDefinedFields: readonly UdfReference[];
  /** The webhook's id in the path; absent at a root twin, where the body names it. */
  readonly parentId?: number | undefined;
}

/** What the record of a field is for: its changes trigger callouts, it is in every payload. */
export interface FieldFlags {
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
}

/** A Field record to be created. `name` is the catalogue's. */
export interface WebhookFieldInput extends FieldFlags {
  readonly fieldId: number;
  readonly name: string;
}

/** A UdfField record to be created. */
export interface WebhookUdfFieldInput extends FieldFlags {
  readonly udfFieldId: number;
}

/** An ExcludedResource record to be created. */
export interface ExcludedResourceInput {
  readonly resourceId: number;
}

/** A body, or an object in one, with folded keys. */
export type Body = Readonly<Record<string, unknown>>;

export const flagShape = { isSubscribedField: flagInput, isDisplayAlwaysField: flagInput };
const flagKeys = { isSubscribedField: null, isDisplayAlwaysField: null };

/** The keys of a child's body, apart from its id and its webhook's. */
export const childKeys = {
  fields: { fieldID: null, field: null, ...flagKeys },
  udfFields: { udfFieldID: null, udfField: null, name: null, ...flagKeys },
  excludedResources: { resourceID: null },
} as const;

/** What absent booleans are. */
export const noFlags: FieldFlags = { isSubscribed: false, isDisplayAlways: false };

/** The booleans of a Field or UdfField record that are given; null is false. */
export function readFlags(body: Body, problems: ProblemDetail[], path = ''): Partial<FieldFlags> {
  const { isSubscribedField, isDisplayAlwaysField } = readKeys(body, flagShape, problems, { path });
  return {
    ...(isSubscribedField !== undefined && { isSubscribed: isSubscribedField }),
    ...(isDisplayAlwaysField !== undefined && { isDisplayAlways: isDisplayAlwaysField }),
  };
}

/** Reads a Field record's own keys; undefined with a problem added when it names no field. `path`: see readKeys. */
export function readField(
  body: Body,
  context: ChildInputContext,
  problems: ProblemDetail[],
  path = '',
): WebhookFieldInput | undefined {
  const field = readReference(body, fieldNaming(context.entity), problems, { path, isRequired: true });
  const flags = readFlags(body, problems, path);
  return field && { fieldId: field.fieldID, name: field.name, ...noFlags, ...flags };
}

/** As readField, for a UdfField record. */
export function readUdfField(
  body: Body,
  context: ChildInputContext,
  problems: ProblemDetail[],
  path = '',
): WebhookUdfFieldInput | undefined {
  const naming = udfNaming(context.entity, context.userDefinedFields);
  const udf = readReference(body, naming, problems, { path, isRequired: true });
  const flags = readFlags(body, problems, path);
  return udf && { udfFieldId: udf.id, ...noFlags, ...flags };
}

/** As readField, for an ExcludedResource record. */
export function readExcludedResource(
  body: Body,
  problems: ProblemDetail[],
  path = '',
): ExcludedResourceInput | undefined {
  const required = ['resourceID'];
  const { resourceID } = readKeys(body, { resourceID: idInput }, problems, { path, nullIsAbsent: true, required });
  return resourceID === undefined ? undefined : { resourceId: resourceID };
}

/** An id that the path may have fixed: then the body may leave it out, and must not differ. */
export function readFixedId(
  body: Body,
  key: 'id' | 'webhookID',
  inPath: number | undefined,
  problems: ProblemDetail[],
): number | undefined {
  const required = inPath === undefined ? [key] : [];
  const inBody = readKeys(body, { [key]: idInput }, problems, { nullIsAbsent: true, required })[key];
  if (inPath !== undefined && inBody !== undefined && inBody !== inPath) {
    refuseKey(problems, key, `is ${inBody} in the body and ${inPath} in the path`);
  }
  return inPath ?? inBody;
}

/** The id that a body names, whatever else is wrong with it; undefined when it names none. */
export function idOfBody(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const given = Object.entries(body).filter(([key]) => key.toLowerCase() === 'id');
  const parsed = idInput.safeParse(given[0]?.[1]);
  return given.length === 1 && parsed.success ? parsed.data : undefined;
}
