import {
  Problem,
  type WebhookCreate,
  type ExcludedResourceInput,
  type ProblemDetail,
  type WebhookFieldInput,
} from '@callout/core';
import { idAt } from './counters.ts';
import type { Prisma } from './generated/client.ts';

/** The collections that number the children of one entity's webhooks, such as `CompanyWebhookFields`. */
export interface ChildCollections {
  fields: string;
  udfFields: string;
  excludedResources: string;
}

/** The children that a webhook is created with. Their ids have been taken. */
export async function insertChildren(
  transaction: Prisma.TransactionClient,
  parent: { tenantId: number; entityType: string; webhookKey: bigint },
  children: Pick<WebhookCreate, 'fields' | 'udfFields' | 'excludedResources'>,
  collections: ChildCollections,
  firstIds: ReadonlyMap<string, number>,
): Promise<void> {
  if (children.fields.length > 0) {
    await transaction.webhookField.createMany({
      data: children.fields.map((field, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.fields, nth),
        ...fieldColumns(field),
      })),
    });
  }
  if (children.udfFields.length > 0) {
    await transaction.webhookUdfField.createMany({
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
    await refuseUnknownResources(transaction, parent.tenantId, children.excludedResources);
    await transaction.webhookExcludedResource.createMany({
      data: children.excludedResources.map(({ resourceId }, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.excludedResources, nth),
        resourceId,
      })),
    });
  }
}

/** Locks the resources it finds, so that none is deleted before the exclusion that names it is stored. */
async function refuseUnknownResources(
  transaction: Prisma.TransactionClient,
  tenantId: number,
  excluded: readonly ExcludedResourceInput[],
): Promise<void> {
  const ids = excluded.map(({ resourceId }) => resourceId);
  const rows = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM resources WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::bigint[]) AND deleted_at IS NULL
    ORDER BY id FOR KEY SHARE`;
  const known = new Set(rows.map((row) => row.id));
  const problems = ids.flatMap((id, nth): ProblemDetail[] => {
    const field = `excludedResources[${nth}].resourceID`;
    return known.has(id) ? [] : [{ code: 'invalid', field, message: `${field} ${id} is no resource` }];
  });
  if (problems.length > 0) throw Problem.invalid(problems);
}

/** The columns of a Field record that its input decides. */
export function fieldColumns(field: WebhookFieldInput) {
  return {
    fieldId: field.fieldId,
    isSubscribedField: field.isSubscribed,
    isDisplayAlwaysField: field.isDisplayAlways,
  };
}
