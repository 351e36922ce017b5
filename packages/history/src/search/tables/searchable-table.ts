import type { ColumnExpression, ColumnOf } from '../compile-condition.ts';
import type { SqlValues } from '../../sql-values.ts';

/** Whose rows. */
export interface TenantScope {
  readonly tenantId: number;
}

/**
 * A column in the form of its type. Text is folded only when `isFolded` is set: a UUID, or our own constants, are not.
 */
export interface SearchableColumn extends ColumnExpression {
  readonly isFolded?: true;
}

/**
 * A table with ordinary columns that can be searched: the rows of a tenant's webhooks, their children, resources, … All
 * SQL in the table is constant. `Scope` is the owner of the rows.
 */
export interface SearchableTable<Scope> {
  /** `FROM`, without the keyword. */
  readonly from: string;
  /** The rows of a scope. */
  readonly rowsOf: (scope: Scope, values: SqlValues) => string;
  /** By their names in the API; `id` is among them. */
  readonly columns: Readonly<Record<string, SearchableColumn>> & { readonly id: SearchableColumn };
  /** A column of JSON with the wire values of further fields. */
  readonly furtherFields?: string;
}

const wireText: Readonly<Record<ColumnExpression['type'], (sql: string) => string>> = {
  text: (sql) => sql,
  bigint: (sql) => `(${sql})::text`,
  boolean: (sql) => `(${sql})::text`,
  timestamptz: (sql) => `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
};

/** The selection of every column in wire form under its name, and the further fields. */
export function wireColumns({ columns, furtherFields = 'NULL' }: SearchableTable<never>): string {
  const named = Object.entries(columns).map(([name, { sql, type }]) => `${wireText[type](sql)} AS "${name}"`);
  return [...named, `${furtherFields} AS "furtherFields"`].join(', ');
}

/**
 * The comparison of columns where PostgreSQL can judge them as the application would: everything but text, whose case
 * only the application folds. Instants are compared by the second, their visible precision.
 */
export function judgeableColumns({ columns }: SearchableTable<never>): ColumnOf {
  const byName = new Map(Object.entries(columns));
  return ({ name }) => {
    const column = byName.get(name);
    if (!column || (column.type === 'text' && !column.isFolded)) return undefined;
    return column.type === 'timestamptz' ? { ...column, sql: `date_trunc('second', ${column.sql})` } : column;
  };
}
