import type { ClientBase } from 'pg';
import { newId } from '@callout/database/schema/ids';

interface PlanNode {
  'Index Name'?: string;
  Plans?: PlanNode[];
}

/** Parameter values with which PostgreSQL excludes no partition of today. */
const literals = {
  uuid: () => `'${newId()}'`,
  int: () => '1',
  bigint: () => '1',
  'double precision': () => '1',
  bool: () => 'true',
  text: () => `'x'`,
  bytea: () => `''`,
  json: () => `'[]'`,
  jsonb: () => `'[]'`,
  timestamptz: () => 'now()',
};

type ScalarType = keyof typeof literals;
export type ParameterType = ScalarType | `${ScalarType}[]`;

/**
 * The indexes in the generic plan of a statement, which is made without its values, as on every connection of the pool.
 * An index of a partition is returned by the name of the index of its table.
 */
export async function plannedIndexes(
  client: ClientBase,
  text: string,
  types: readonly ParameterType[],
): Promise<string[]> {
  await client.query(`PREPARE planned AS ${text}`);
  const values = types.map(literalOf).join();
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE planned ${types.length > 0 ? `(${values})` : ''}`,
  );
  await client.query('DEALLOCATE planned');
  const names = indexesIn((rows[0]?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
  const { rows: parents } = await client.query<{ name: string }>(
    `SELECT DISTINCT coalesce(parent.relname, index.relname) AS name FROM pg_class index
     LEFT JOIN pg_inherits i ON i.inhrelid = index.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
     WHERE index.relname = ANY($1) ORDER BY 1`,
    [names],
  );
  return parents.map(({ name }) => name);
}

function literalOf(type: ParameterType): string {
  if (!type.endsWith('[]')) return literals[type as ScalarType]();
  const element = type.slice(0, -'[]'.length) as ScalarType;
  return `ARRAY[${literals[element]()}]::${type}`;
}

function indexesIn(nodes: readonly PlanNode[]): string[] {
  return nodes.flatMap(({ 'Index Name': name, Plans }) => [
    ...(name === undefined ? [] : [name]),
    ...indexesIn(Plans ?? []),
  ]);
}
