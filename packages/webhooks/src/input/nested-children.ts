import type { Body } from '@callout/domain/input/read-keys';
import {
  readExcludedResource,
  readField,
  readUdfField,
  type ChildInputContext,
  type ExcludedResourceInput,
  type WebhookFieldInput,
  type WebhookUdfFieldInput,
} from './child-input.ts';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { refuseKey } from '@callout/domain/input/read-keys';
import type { nestedChildFields } from './webhook-fields.ts';

/** The children in the body of a webhook's POST. */
export interface NestedChildren {
  readonly fields: readonly WebhookFieldInput[];
  readonly udfFields: readonly WebhookUdfFieldInput[];
  readonly excludedResources: readonly ExcludedResourceInput[];
}

/** More than there are fields; further exclusions are made under their own path. */
const maxChildren = 1000;

/** Reads the three arrays; an absent one is empty. Problems name the item, e.g. `fields[0].fieldID`. */
export function readNestedChildren(body: Body, context: ChildInputContext, problems: ProblemDetail[]): NestedChildren {
  return {
    fields: readChildren(body, 'fields', problems, (item, path) => readField(item, context, problems, path)),
    udfFields: readChildren(body, 'udfFields', problems, (item, path) => readUdfField(item, context, problems, path)),
    excludedResources: readChildren(body, 'excludedResources', problems, (item, path) =>
      readExcludedResource(item, problems, path),
    ),
  };
}

function readChildren<Input>(
  body: Body,
  key: keyof typeof nestedChildFields,
  problems: ProblemDetail[],
  read: (item: Body, path: string) => Input | undefined,
): Input[] {
  const items = body[key] ?? [];
  if (!Array.isArray(items) || items.length > maxChildren) {
    const code = Array.isArray(items) ? 'invalid' : 'invalidType';
    refuseKey(problems, key, `must be an array of ${maxChildren} objects or fewer`, code);
    return [];
  }
  return items.flatMap((item: unknown, index) => {
    const path = `${key}[${index}]`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      refuseKey(problems, path, 'must be an object', 'invalidType');
      return [];
    }
    return read(item as Body, `${path}.`) ?? [];
  });
}

/** Throws a `conflict` Problem when a child occurs twice, since it could not be stored twice either. */
export function refuseRepeatedChildren(children: NestedChildren): void {
  const repeated = [
    ...repeats(
      'fields',
      'fieldID',
      children.fields.map(({ fieldId }) => fieldId),
    ),
    ...repeats(
      'udfFields',
      'udfFieldID',
      children.udfFields.map(({ udfFieldId }) => udfFieldId),
    ),
    ...repeats(
      'excludedResources',
      'resourceID',
      children.excludedResources.map(({ resourceId }) => resourceId),
    ),
  ];
  if (repeated.length > 0) throw Problem.conflict(repeated);
}

function repeats(key: string, idKey: string, ids: readonly number[]): ProblemDetail[] {
  const first = new Map<number, number>();
  return ids.flatMap((id, index) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    const field = `${key}[${index}].${idKey}`;
    return earlier === undefined
      ? []
      : [{ code: 'duplicate', field, message: `${field} is ${id}, as in ${key}[${earlier}]` }];
  });
}
