import type { Condition } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursors/cursor';
import { compileCondition, type ColumnOf } from '../compile-condition.ts';
import { foldedKey, scopeKey, type RecordCollection } from '@callout/pipeline/ingest/folded-record';
import { isId } from './index-documents.ts';
import type { SqlValues } from '../../sql-values.ts';

/** How conditions read the fields of records: the id from its column, everything else from the folded copy. */
export function recordColumns(collection: RecordCollection, alias: string): ColumnOf {
  return (field, values) =>
    field.udfId === null && field.name === 'id'
      ? { sql: `${alias}.id`, type: 'bigint' }
      : { sql: `(${alias}.folded #>> ${values.add([scopeKey(collection), foldedKey(field)])}::text[])`, type: 'text' };
}

/** The records of a collection beyond a position, as far as the table's key shows it; for `FROM records r`. */
export function candidates(
  collection: RecordCollection,
  filter: Condition,
  position: Position | null,
  values: SqlValues,
): string {
  const conditions = [
    `r.tenant_id = ${values.add(collection.tenantId)} AND r.entity_type = ${values.add(collection.entityType)}`,
    'r.deleted_at IS NULL',
  ];
  if (position) conditions.push(beyond(position, 'r.id', values));
  // Conditions on the id, where nothing but an AND is around them, are ranges and lookups of the key.
  for (const one of conjuncts(filter).filter(isId)) {
    conditions.push(compileCondition(one, recordColumns(collection, 'r'), values).sql);
  }
  return conditions.join(' AND ');
}

/** That an id lies beyond a position. */
export function beyond({ direction, id }: Position, sql: string, values: SqlValues): string {
  return `${sql} ${direction === 'after' ? '>' : '<'} ${values.add(id)}::bigint`;
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(conjuncts) : [condition];
}
