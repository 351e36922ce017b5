import { Problem, type ProblemDetail } from '@callout/domain/problem';
import type { NestedChildren } from './input/nested-children.ts';
import { idAt } from '@callout/database/counters';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { lockUdfDefinitions, type LockedResource } from '@callout/pipeline/deactivate/references';

/** The collections that number the children of one entity's webhooks, such as `CompanyWebhookFields`. */
export interface ChildCollections {
  fields: string;
  udfFields: string;
  excludedResources: string;
}

/**
 * Ensures that the subjects of the children exist, and stay until the transaction ends.
 * @param resources the existing excluded resources; locked.
 * @throws a Problem `invalid` that names each child without a subject.
 */
export async function refuseMissingReferences(
  transaction: SharedTransaction['sets'],
  tenantId: number,
  { udfFields, excludedResources }: Pick<NestedChildren, 'udfFields' | 'excludedResources'>,
  resources: ReadonlyMap<number, LockedResource>,
): Promise<void> {
  const udfIds = udfFields.map(({ udfFieldId }) => udfFieldId);
  const definitions = await lockUdfDefinitions(transaction, tenantId, udfIds);
  const problems = [
    ...missing(udfIds, definitions, (nth) => `udfFields[${nth}].udfFieldID`, 'user-defined field', 'unknownField'),
    ...missing(
      excludedResources.map(({ resourceId }) => resourceId),
      resources,
      (nth) => `excludedResources[${nth}].resourceID`,
      'resource',
      'unknownReference',
    ),
  ];
  if (problems.length > 0) throw Problem.invalid(problems);
}

function missing(
  ids: readonly number[],
  existing: Pick<ReadonlySet<number>, 'has'>,
  fieldOf: (nth: number) => string,
  kind: string,
  code: ProblemDetail['code'],
): ProblemDetail[] {
  return ids.flatMap((id, nth) => {
    const field = fieldOf(nth);
    return existing.has(id) ? [] : [{ code, field, message: `${field} ${id} is no ${kind} of this tenant` }];
  });
}

/** Inserts the children of a new webhook, with assigned ids and existing subjects. */
export async function insertChildren(
  models: SharedTransaction['models'],
  parent: { tenantId: number; entityType: string; webhookKey: bigint },
  children: NestedChildren,
  collections: ChildCollections,
  firstIds: ReadonlyMap<string, number>,
): Promise<void> {
  if (children.fields.length > 0) {
    await models.webhookField.createMany({
      data: children.fields.map((field, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.fields, nth),
        fieldId: field.fieldId,
        isSubscribedField: field.isSubscribed,
        isDisplayAlwaysField: field.isDisplayAlways,
      })),
    });
  }
  if (children.udfFields.length > 0) {
    await models.webhookUdfField.createMany({
      data: children.udfFields.map((field, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.udfFields, nth),
        udfFieldId: field.udfFieldId,
        isSubscribedField: field.isSubscribed,
        isDisplayAlwaysField: field.isDisplayAlways,
      })),
    });
  }
  if (children.excludedResources.length > 0) {
    await models.webhookExcludedResource.createMany({
      data: children.excludedResources.map(({ resourceId }, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.excludedResources, nth),
        resourceId,
      })),
    });
  }
}
