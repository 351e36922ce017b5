import type { Client } from 'pg';

/** A history table, or one of its indexes, over all days. */
export interface Size {
  readonly table: string;
  /** Null: the table itself. */
  readonly index: string | null;
  readonly bytes: number;
}

const tables = ['events', 'event_matches', 'callouts', 'callout_bodies', 'attempts'];

/** What the history takes on disk: each table, followed by its indexes. */
export async function sizesOf(client: Client): Promise<Size[]> {
  const { rows } = await client.query<{ table: string; index: string | null; bytes: string }>(
    `SELECT t.name AS "table", i.name AS index, s.bytes
     FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place), LATERAL (
       SELECT NULL AS name, t.name::regclass::oid AS oid
       UNION ALL SELECT relname, oid FROM pg_class JOIN pg_index x ON x.indexrelid = oid WHERE x.indrelid = t.name::regclass
     ) AS i, LATERAL (
       SELECT sum(CASE WHEN i.name IS NULL THEN pg_table_size(relid) ELSE pg_relation_size(relid) END) AS bytes
       FROM pg_partition_tree(i.oid::regclass)
     ) AS s ORDER BY t.place, i.name NULLS FIRST`,
    [tables],
  );
  return rows.map(({ table, index, bytes }) => ({ table, index, bytes: Number(bytes) }));
}
