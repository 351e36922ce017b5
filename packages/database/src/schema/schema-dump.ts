import type { Client } from '../connection/database.ts';

const head = `-- The tables that prisma/migrations make, as PostgreSQL has them; partitions of days are left out.
-- Written by "npm run schema", compared by a test: do not edit.
`;

interface Table {
  name: string;
  partitionedBy: string | null;
  settings: string | null;
  columns: string[];
  constraints: string[] | null;
  indexes: string[] | null;
}

const tables = `
SELECT t.relname AS name, pg_get_partkeydef(t.oid) AS "partitionedBy",
  (SELECT string_agg(option, ', ' ORDER BY option) FROM unnest(t.reloptions) AS option) AS settings,
  (SELECT array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attstorage <> y.typstorage THEN
        'STORAGE ' || (ARRAY['PLAIN', 'EXTERNAL', 'EXTENDED', 'MAIN'])[position(a.attstorage IN 'pexm')] END,
      CASE a.attcompression WHEN 'l' THEN 'COMPRESSION lz4' WHEN 'p' THEN 'COMPRESSION pglz' END,
      CASE WHEN a.attstattarget >= 0 THEN 'STATISTICS ' || a.attstattarget END,
      CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) ORDER BY a.attnum)
   FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
     LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
   WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT array_agg(format('CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid))
      ORDER BY position(c.contype IN 'pufc'), c.conname COLLATE "C")
   FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype <> 'n' AND c.conparentid = 0) AS constraints,
  (SELECT array_agg(replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), ' ON public.', ' ON ')
      ORDER BY x.relname COLLATE "C")
   FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
   WHERE i.indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = t.oid)
  ) AS indexes
FROM pg_class t
WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND t.relname <> '_prisma_migrations'
ORDER BY t.relname COLLATE "C"`;

const sequences = `
SELECT format('CREATE SEQUENCE %I AS %s MINVALUE %s MAXVALUE %s START WITH %s INCREMENT BY %s%s;', sequencename, data_type,
  min_value, max_value, start_value, increment_by, CASE WHEN cycle THEN ' CYCLE' ELSE '' END) AS text
FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename COLLATE "C"`;

/** Functions first: triggers name them. */
const triggers = `
SELECT replace(text, ' ON public.', ' ON ') || ';' AS text FROM (
  SELECT 1, proname, '', replace(pg_get_functiondef(oid), 'FUNCTION public.', 'FUNCTION ') FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 2, tgname, tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
) AS one (place, name, of, text) ORDER BY place, name COLLATE "C", of COLLATE "C"`;

const others = `
SELECT format('%s %s', kind, name) AS text FROM (
  SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
  UNION ALL SELECT 'view', relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')
  UNION ALL SELECT 'extension', extname FROM pg_extension WHERE extname <> 'plpgsql'
) AS other (kind, name) ORDER BY kind, name COLLATE "C"`;

/**
 * The schema of a migrated database, in SQL for people to read: the same text from every version of PostgreSQL and
 * under every collation.
 * @throws Error when there is something that it cannot show.
 */
export async function dumpSchema(client: Client): Promise<string> {
  const { rows: unknown } = await client.query<{ text: string }>(others);
  if (unknown.length > 0) throw new Error(`schema.sql would not show ${unknown.map(({ text }) => text).join(', ')}`);
  const { rows: numbers } = await client.query<{ text: string }>(sequences);
  const { rows } = await client.query<Table>(tables);
  const { rows: rules } = await client.query<{ text: string }>(triggers);
  const parts = [
    head,
    `${numbers.map(({ text }) => text).join('\n')}\n`,
    ...rows.map(tableText),
    ...(rules.length === 0 ? [] : [`${rules.map(({ text }) => text).join('\n')}\n`]),
  ];
  return parts.join('\n');
}

function tableText({ name, partitionedBy, settings, columns, constraints, indexes }: Table): string {
  const lines = [...columns, ...(constraints ?? [])].map((line) => `  ${line}`);
  const partitioned = partitionedBy === null ? '' : ` PARTITION BY ${partitionedBy}`;
  const stored = settings === null ? '' : ` WITH (${settings})`;
  const table = `CREATE TABLE ${name} (\n${lines.join(',\n')}\n)${partitioned}${stored};`;
  return [table, ...(indexes ?? []).map((index) => `${index};`), ''].join('\n');
}
