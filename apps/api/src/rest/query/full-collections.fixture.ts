import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { TestApi } from '../../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import {
  insertErrorLog,
  insertRecord,
  recordBody,
  resourceBody,
  supportedFieldId,
} from '../../fixtures/whole-tenant.ts';

/** Rows that each collection of a full tenant has at least. */
export const FULL = 3;

const firstThree = [1, 2, 3];

/**
 * A tenant with three rows or more in every collection: per entity three records, user-defined fields and webhooks, and
 * the first webhook with three children of each kind; three error logs of the integrator's, and then one of the
 * admin's.
 */
export async function makeFullTenant(api: TestApi): Promise<TestTenant> {
  const tenant = await makeTenant(api.database);
  const make = async (path: string, body: unknown): Promise<number> => {
    const response = await api.call('POST', path, { as: tenant.admin, body });
    if (response.status !== 200) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    return (response.body as { itemId: number }).itemId;
  };
  await make('/Resources', resourceBody);
  for (const entity of api.catalogue.watched) {
    await fill(entity, make, (id) => insertRecord(api, tenant.id, entity.entityType, id));
  }
  for (const _nth of firstThree) await insertErrorLog(api, tenant.id, tenant.integrator.resourceId);
  await insertErrorLog(api, tenant.id, tenant.admin.resourceId);
  return tenant;
}

async function fill(
  entity: EntityDefinition,
  make: (path: string, body: unknown) => Promise<number>,
  insert: (id: number) => Promise<void>,
): Promise<void> {
  const { entityType, hasUserDefinedFields, collection, webhookCollection } = entity;
  const udfFields: { udfFieldID: number }[] = [];
  for (const nth of firstThree) {
    if (entity.isReadOnly) await insert(nth);
    else await make(`/${collection}`, recordBody(entity));
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

const OF_NO_ENTITY = ['/Resources', '/UserDefinedFieldDefinitions', '/WebhookEventErrorLogs'];

/** The paths of every collection: of every entity, and of none. */
export function collectionPaths(api: Pick<TestApi, 'catalogue'>): string[] {
  return [...api.catalogue.watched.flatMap((entity) => Object.values(pathsOf(entity)).flat()), ...OF_NO_ENTITY];
}

/**
 * One path of every kind of collection, the entities taking turns: the collections of a kind are all made by the same
 * function from the entity's catalogue file.
 */
export function kindsOfCollections(api: Pick<TestApi, 'catalogue'>): string[] {
  const kinds = new Map<string, string[]>();
  for (const paths of api.catalogue.watched.map(pathsOf)) {
    for (const [kind, some] of Object.entries(paths)) kinds.set(kind, [...(kinds.get(kind) ?? []), ...some]);
  }
  const ofEntities = [...kinds.values()].flatMap((paths, nth) => paths[nth % paths.length] ?? []);
  return [...ofEntities, ...OF_NO_ENTITY];
}

/** By the kind of the collection. */
function pathsOf(entity: EntityDefinition): Record<string, string[]> {
  const { collection, parents, webhookCollection, webhookSingular, hasUserDefinedFields } = entity;
  const segments = ['Fields', ...(hasUserDefinedFields ? ['UdfFields'] : []), 'ExcludedResources'];
  return {
    records: [`/${collection}`],
    recordsOfParent: parents.map((one) => `/${one.entity.collection}/1/${one.segment}`),
    webhooks: [`/${webhookCollection}`],
    ...Object.fromEntries(
      segments.flatMap((one) => [
        [one, [`/${webhookSingular}${one}`]],
        [`${one}OfWebhook`, [`/${webhookCollection}/1/${one}`]],
      ]),
    ),
  };
}
