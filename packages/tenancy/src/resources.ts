import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import type { FieldValues } from '@callout/domain/values/values';
import { recordChanges } from '@callout/database/changes/record-changes';
import { assignId } from '@callout/database/counters';
import type { Database } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import { valuesOfResource } from './configuration-values.ts';

/** A resource as reads need it: the fields of the catalogue, in wire form. */
export interface StoredResource {
  id: number;
  fields: FieldValues;
}

/** Makes a resource, without any rights at first; returns its id. `collection` numbers it. */
export function createResource(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  fields: FieldValues,
  collection: string,
  actor: Actor,
  watch?: Pick<RowWatch<StoredResource>, 'after'>,
): Promise<number> {
  return transaction(tenantId, async ({ models, sets }) => {
    const id = await assignId(sets, tenantId, collection);
    const resource = await models.resource.create({ data: { tenantId, id, ...columnsOf(fields) } });
    watch?.after?.(storedResource(resource));
    const changes = fieldChanges(null, valuesOfResource(resource));
    const entry = { tenantId, entity: 'resource', entityId: id, action: 'created', actor } as const;
    await recordChanges(sets, [{ ...entry, fields: changes }]);
    return id;
  });
}

/** A resource that is not deleted. */
export async function findResource(
  { prisma }: Pick<Database, 'prisma'>,
  tenantId: number,
  id: number,
): Promise<StoredResource | undefined> {
  const row = await prisma.resource.findUnique({ where: { tenantId_id: { tenantId, id }, deletedAt: null } });
  return row === null ? undefined : storedResource(row);
}

/** A row that Prisma has read. */
export function storedResource({
  id,
  email,
  isActive,
  fields,
}: {
  readonly id: number;
  readonly email: string;
  readonly isActive: boolean;
  readonly fields: unknown;
}): StoredResource {
  // Written by `createResource` and `updateResource` alone, from values in wire form.
  return { id, fields: { ...(fields as FieldValues), email, isActive: String(isActive) } };
}

/** Values that every request reads have a column each; the rest is one value. */
function columnsOf({ email, isActive, ...fields }: FieldValues) {
  return { email: email ?? '', isActive: isActive === 'true', fields };
}
