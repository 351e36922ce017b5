import type { Condition } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import { compileCondition, type ColumnOf } from '../compile-condition.ts';
import { searchKey, type RecordCollection } from '@callout/domain/query/searched-record';
import { isId } from './index-terms.ts';
import type { SqlValues } from '../../sql-values.ts';

/**
 * How conditions read the fields of records: the id from its column, everything else folded. In the collation "C"
 * PostgreSQL folds ASCII alone; values with other characters are in `folded`.
 */
export function recordColumns(alias: string): ColumnOf {
  return (field, values) => {
    if (field.udfId === null && field.name === 'id') return { sql: `${alias}.id`, type: 'bigint' };
    const folded = `${alias}.folded ->> ${values.add(searchKey(field))}::text`;
    const value =
      field.udfId === null
        ? `${alias}.fields ->> ${values.add(field.name)}::text`
        : `${alias}.udf_fields ->> ${values.add(String(field.udfId))}::text`;
    return { sql: `coalesce(${folded}, lower((${value}) COLLATE "C"))`, type: 'text' };
  };
}

/** The records of a collection beyond a position, where the table's key shows it; for `FROM records r`. */
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
    conditions.push(compileCondition(one, recordColumns('r'), values).sql);
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
