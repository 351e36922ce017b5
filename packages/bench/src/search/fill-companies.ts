import type { Client } from 'pg';

/** Rows of one statement: enough to be fast, few enough to be stopped between two. */
const ROWS_PER_STATEMENT = 50_000;

/** Companies that share a city, so that one value finds a page and not a table. */
export const COMPANIES_PER_CITY = 100;

/** How many cities a number of companies has. */
export function citiesOf(companies: number): number {
  return Math.max(1, Math.floor(companies / COMPANIES_PER_CITY));
}

// A company n as EntityEvents would store it: 24 of its fields are known, the rest was never told. Texts are in both cases.
const fields = `jsonb_build_object(
  'companyName', 'Company ' || n, 'companyNumber', 'C-' || n, 'companyType', (n % 5)::text,
  'classification', (n % 7)::text, 'isActive', CASE n % 2 WHEN 0 THEN 'true' ELSE 'false' END,
  'ownerResourceID', (n % 10)::text, 'address1', n || ' Long Street', 'address2', 'Floor ' || n % 40,
  'city', 'City ' || n % $4::int, 'state', 'State ' || n % 50, 'postalCode', lpad((n % 90000)::text, 5, '0'),
  'countryID', (n % 200)::text, 'phone', '+1 555 ' || n, 'fax', '+1 556 ' || n,
  'webAddress', 'https://www.company-' || n || '.example', 'territoryID', (n % 30)::text,
  'marketSegmentID', (n % 12)::text, 'competitorID', (n % 9)::text, 'taxID', 'Tax ' || n,
  'taxRegionID', (n % 60)::text, 'currencyID', (n % 20)::text, 'sicCode', (n % 9999)::text,
  'additionalAddressInformation', 'Building ' || n % 300, 'createDate', '2026-01-01T00:00:00Z')`;

const insert = `
  INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, folded)
  SELECT $1::int, 'Account', n, n, f::json, '{}',
    jsonb_build_object($1::int::text || '/Account', (SELECT jsonb_object_agg(key, lower(value)) FROM jsonb_each_text(f)))
  FROM generate_series($2::int, $3::int) n CROSS JOIN LATERAL (SELECT ${fields} AS f OFFSET 0) AS made`;

/**
 * Fills a tenant with the companies 1 to `companies`, by statements that make whole sets. The index over their values is
 * built once they are all there, which takes a fraction of the time that building it row by row would.
 * @param tell told how far it is.
 */
export async function fillCompanies(
  client: Client,
  { tenantId, companies }: { readonly tenantId: number; readonly companies: number },
  tell: (line: string) => void,
): Promise<void> {
  const definition = await indexDefinition(client);
  await client.query('DROP INDEX records_folded');
  for (let from = 1; from <= companies; from += ROWS_PER_STATEMENT) {
    const to = Math.min(companies, from + ROWS_PER_STATEMENT - 1);
    await client.query(insert, [tenantId, from, to, citiesOf(companies)]);
    if (to % (10 * ROWS_PER_STATEMENT) === 0) tell(`  ${to.toLocaleString('en-US')} companies …`);
  }
  tell('  the index over their values …');
  await client.query("SET maintenance_work_mem = '512MB'");
  await client.query(definition);
  await client.query('VACUUM (ANALYZE) records');
}

async function indexDefinition(client: Client): Promise<string> {
  const { rows } = await client.query<{ definition: string }>(
    "SELECT pg_get_indexdef('records_folded'::regclass) AS definition",
  );
  const [index] = rows;
  if (index === undefined) throw new Error('the records have no index over their values');
  return index.definition;
}

/** What the companies take on disk, in bytes: the table, and the index over their values. */
export async function sizesOf(client: Client): Promise<{ readonly tableBytes: number; readonly indexBytes: number }> {
  const { rows } = await client.query<{ table: string; index: string }>(
    `SELECT pg_table_size('records') AS table, pg_relation_size('records_folded') AS index`,
  );
  return { tableBytes: Number(rows[0]?.table), indexBytes: Number(rows[0]?.index) };
}
