import type { Body } from '@callout/domain/input/read-keys';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { fieldNaming, readReference, udfNaming, type UdfReference } from './child-references.ts';
import { idInput } from '@callout/domain/input/input-schemas';
import { inputsOf } from '@callout/domain/metadata/field-table';
import { childFields } from './child-fields.ts';
import type { ProblemDetail } from '@callout/domain/problem';
import { readKeys } from '@callout/domain/input/read-keys';
import { refuseOther } from '@callout/domain/input/read-update-id';

/** The data to which the body of a Field or UdfField record may refer. */
export interface ChildInputContext {
  readonly entity: EntityDefinition;
  /** The user-defined fields of this tenant and entity. */
  readonly userDefinedFields: readonly UdfReference[];
  /** The webhook's id in the path; absent at a root twin, where the body names it. */
  readonly parentId?: number | undefined;
}

/** The purpose of a Field or UdfField record: its changes trigger callouts, or it is in every payload. */
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

const {
  isSubscribedField: subscribedInput,
  isDisplayAlwaysField: displayInput,
  webhookID: webhookInput,
} = inputsOf(childFields.fields);
const flagInputs = { isSubscribedField: subscribedInput, isDisplayAlwaysField: displayInput };
const { resourceID: resourceInput } = inputsOf(childFields.excludedResources);

/** The values of absent booleans. */
export const noFlags: FieldFlags = { isSubscribed: false, isDisplayAlways: false };

/** The booleans of a Field or UdfField record that are given; null is false. */
export function readFlags(body: Body, problems: ProblemDetail[], path = ''): Partial<FieldFlags> {
  const { isSubscribedField, isDisplayAlwaysField } = readKeys(body, flagInputs, problems, { path });
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
  const { resourceID } = readKeys(body, { resourceID: resourceInput }, problems, {
    path,
    nullIsAbsent: true,
    required,
  });
  return resourceID === undefined ? undefined : { resourceId: resourceID };
}

/** The webhook of a child, which the path may determine: then the body may leave it out, and must not differ. */
export function readWebhookId(body: Body, inPath: number | undefined, problems: ProblemDetail[]): number | undefined {
  const required = inPath === undefined ? ['webhookID'] : [];
  const { webhookID } = readKeys(body, { webhookID: webhookInput }, problems, { nullIsAbsent: true, required });
  refuseOther('webhookID', webhookID, inPath, problems);
  return inPath ?? webhookID;
}

/** The id in the body of an update, whatever else is wrong with it; undefined when there is none. */
export function idOfBody(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const idsUnder = (name: string) =>
    Object.entries(body).filter(([key, value]) => key.toLowerCase() === name && value !== null);
  const ids = idsUnder('id');
  const [only, ...moreIds] = ids.length > 0 ? ids : idsUnder('itemid');
  const parsed = idInput.safeParse(only?.[1]);
  return moreIds.length === 0 && parsed.success ? parsed.data : undefined;
}
