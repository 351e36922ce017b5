import type { EntityDefinition } from '@callout/core/catalogue';
import type { TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import {
  insertErrorLog,
  recordBody,
  resourceBody,
  supportedFieldId,
  watchedEntities,
} from '../fixtures/whole-tenant.ts';

/** Rows that each collection of a full tenant has at least. */
export const FULL = 3;

const firstThree = [1, 2, 3];

/**
 * A tenant with three rows or more in every collection: per entity three records, user-defined fields and webhooks, and
 * the first webhook with three children of each kind; three error logs of the integrator's, and then one of the admin's.
 */
export async function makeFullTenant(api: TestApi): Promise<TestTenant> {
  const tenant = await makeTenant(api.database);
  const make = async (path: string, body: unknown): Promise<number> => {
    const answer = await api.call('POST', path, { as: tenant.admin, body });
    if (answer.status !== 200) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { itemId: number }).itemId;
  };
  await make('/Resources', resourceBody);
  for (const entity of watchedEntities(api)) await fill(entity, make);
  for (const _nth of firstThree) await insertErrorLog(api, tenant.id, tenant.integrator.resourceId);
  await insertErrorLog(api, tenant.id, tenant.admin.resourceId);
  return tenant;
}

async function fill(entity: EntityDefinition, make: (path: string, body: unknown) => Promise<number>): Promise<void> {
  const { entityType, hasUserDefinedFields, collection, webhookCollection } = entity;
  const udfFields: { udfFieldID: number }[] = [];
  for (const nth of firstThree) {
    await make(`/${collection}`, recordBody(entity));
    if (!hasUserDefinedFields) continue;
    const definition = { entityType, name: `Udf ${nth}`, dataType: 'string' };
    udfFields.push({ udfFieldID: await make('/UserDefinedFieldDefinitions', definition) });
  }
  for (const nth of firstThree) {
    await make(`/${webhookCollection}`, {
      ...webhookBody({ name: `Webhook ${nth}` }),
      ...(nth === 1 && {
        fields: firstThree.map((which) => ({ fieldID: supportedFieldId(entity, which), isSubscribedField: true })),
        udfFields,
        excludedResources: firstThree.map((resourceID) => ({ resourceID })),
      }),
    });
  }
}

/** The paths of every collection: of every entity, and those that belong to none. */
export function collectionPaths(api: Pick<TestApi, 'catalogue'>): string[] {
  const ofEntities = watchedEntities(api).flatMap((entity) => {
    const { collection, webhookCollection, webhookSingular, hasUserDefinedFields } = entity;
    const segments = ['Fields', ...(hasUserDefinedFields ? ['UdfFields'] : []), 'ExcludedResources'];
    const children = segments.flatMap((one) => [`/${webhookSingular}${one}`, `/${webhookCollection}/1/${one}`]);
    const underParents = entity.parents.map((one) => `/${one.entity.collection}/1/${one.segment}`);
    return [`/${collection}`, ...underParents, `/${webhookCollection}`, ...children];
  });
  return [...ofEntities, '/Resources', '/UserDefinedFieldDefinitions', '/WebhookEventErrorLogs'];
}
