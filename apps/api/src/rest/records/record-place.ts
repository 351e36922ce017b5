import type { EntityDefinition, RecordParent } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { findRecord } from '@callout/history/records';
import type { ApiContext } from '../../api-context.ts';
import type { Call } from '../../http/route/endpoint.ts';
import { pathId } from '../../http/route/path-id.ts';
import type { KnownRecord } from './record-item.ts';

/**
 * The place of records: all records of an entity at the root, or the records of a parent, like `/Companies/5/Contacts`.
 */
export interface RecordPlace {
  readonly entity: EntityDefinition;
  /** Absent at the root. */
  readonly parent?: RecordParent;
}

/** The parent in a path. */
export interface ParentInPath extends RecordParent {
  readonly id: number;
}

/** The registered path of a place. */
export function pathOf({ entity, parent }: RecordPlace): string {
  return parent === undefined ? `/${entity.collection}` : `/${parent.entity.collection}/:parentId/${parent.segment}`;
}

/** The parent in the path; undefined at the root. Throws a 404 Problem for a missing parent. */
export async function parentInPath(
  { database }: ApiContext,
  { caller, params }: Pick<Call, 'caller' | 'params'>,
  { parent }: RecordPlace,
): Promise<ParentInPath | undefined> {
  if (parent === undefined) return undefined;
  const id = pathId(params['parentId']);
  const parentRecord = await findRecord(database, caller.tenantId, parent.entity.entityType, id);
  if (parentRecord === undefined) throw Problem.notFound();
  return { ...parent, id };
}

/** Whether a record belongs to the parent of the path; at the root every record does. */
export function belongsTo(record: KnownRecord, parent: ParentInPath | undefined): boolean {
  return parent === undefined || record.fields[parent.field.name] === String(parent.id);
}
