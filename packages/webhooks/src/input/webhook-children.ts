import { readUpdateId } from '@callout/domain/input/read-update-id';
import type { Body } from '@callout/domain/input/read-keys';
import {
  noFlags,
  readExcludedResource,
  readField,
  readFlags,
  readUdfField,
  readWebhookId,
  type ChildInputContext,
  type ExcludedResourceInput,
  type FieldFlags,
  type WebhookFieldInput,
  type WebhookUdfFieldInput,
} from './child-input.ts';
import { fieldNaming, readReference, udfNaming } from './child-references.ts';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { knownChildKeys } from './webhook-fields.ts';
import { Problem, type ProblemDetail } from '@callout/domain/problem';

/** A child record to be created under the webhook `webhookId`. */
export type ChildCreate<Input> = Input & { readonly webhookId: number };

/** PATCH changes the keys present; PUT makes absent booleans false. */
export type UpdateMethod = 'PATCH' | 'PUT';

/**
 * A Field or UdfField record to be changed. `givenFieldId`: the unchangeable id in the body; see refuseOtherFieldId.
 */
export interface ChildUpdate {
  readonly id: number;
  readonly changes: Partial<FieldFlags>;
  readonly givenFieldId?: number;
}

/** Reads the body of a Field record's POST. Throws an `invalid` Problem with everything that is wrong. */
export function parseFieldCreate(body: unknown, context: ChildInputContext): ChildCreate<WebhookFieldInput> {
  return parseCreate(foldKeys(body, knownChildKeys.fields), context.parentId, (folded, problems) =>
    readField(folded, context, problems),
  );
}

/** Reads the body of a UdfField record's POST. Throws an `invalid` Problem with everything that is wrong. */
export function parseUdfFieldCreate(body: unknown, context: ChildInputContext): ChildCreate<WebhookUdfFieldInput> {
  return parseCreate(foldKeys(body, knownChildKeys.udfFields), context.parentId, (folded, problems) =>
    readUdfField(folded, context, problems),
  );
}

/** Reads the body of an ExcludedResource record's POST. Throws an `invalid` Problem with everything that is wrong. */
export function parseExcludedResourceCreate(
  body: unknown,
  { parentId }: Pick<ChildInputContext, 'parentId'>,
): ChildCreate<ExcludedResourceInput> {
  return parseCreate(foldKeys(body, knownChildKeys.excludedResources), parentId, (folded, problems) =>
    readExcludedResource(folded, problems),
  );
}

/** Reads the body of a Field record's PATCH or PUT; the id may be in the path. Throws an `invalid` Problem. */
export function parseFieldUpdate(
  method: UpdateMethod,
  body: unknown,
  context: ChildInputContext,
  pathId?: number,
): ChildUpdate {
  return parseUpdate(method, foldKeys(body, knownChildKeys.fields), context.parentId, pathId, (folded, problems) => {
    const field = readReference(folded, fieldNaming(context.entity), problems, { isRequired: false });
    return field?.fieldID;
  });
}

/** Reads the body of a UdfField record's PATCH or PUT; the id may be in the path. Throws an `invalid` Problem. */
export function parseUdfFieldUpdate(
  method: UpdateMethod,
  body: unknown,
  context: ChildInputContext,
  pathId?: number,
): ChildUpdate {
  const naming = udfNaming(context.entity, context.userDefinedFields);
  return parseUpdate(method, foldKeys(body, knownChildKeys.udfFields), context.parentId, pathId, (folded, problems) => {
    return readReference(folded, naming, problems, { isRequired: false })?.id;
  });
}

/** The field of a child cannot change after its creation: throws an `invalid` Problem when an update names another. */
export function refuseOtherFieldId(update: ChildUpdate, storedFieldId: number, idKey: string): void {
  if (update.givenFieldId === undefined || update.givenFieldId === storedFieldId) return;
  throw Problem.invalid(`${idKey} is ${storedFieldId} and cannot be changed; create another record instead`, idKey);
}

function parseCreate<Input>(
  body: Body,
  parentId: number | undefined,
  read: (body: Body, problems: ProblemDetail[]) => Input | undefined,
): ChildCreate<Input> {
  const problems: ProblemDetail[] = [];
  const webhookId = readWebhookId(body, parentId, problems);
  const input = read(body, problems);
  if (webhookId === undefined || input === undefined || problems.length > 0) throw Problem.invalid(problems);
  return { ...input, webhookId };
}

function parseUpdate(
  method: UpdateMethod,
  body: Body,
  parentId: number | undefined,
  pathId: number | undefined,
  readFieldId: (body: Body, problems: ProblemDetail[]) => number | undefined,
): ChildUpdate {
  const problems: ProblemDetail[] = [];
  const id = readUpdateId(body, pathId, problems);
  readWebhookId(body, parentId, problems);
  const givenFieldId = readFieldId(body, problems);
  const flags = readFlags(body, problems);
  if (id === undefined || problems.length > 0) throw Problem.invalid(problems);
  const changes = method === 'PUT' ? { ...noFlags, ...flags } : flags;
  return { id, changes, ...(givenFieldId !== undefined && { givenFieldId }) };
}
