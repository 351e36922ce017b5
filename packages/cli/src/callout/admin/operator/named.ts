import type { OperatorSchemas as Schemas } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { allOf, type Operate } from './operate.ts';

/** The tenant that a command line names by id or by name. Throws a Problem `notFound`, or what the operation throws. */
export async function tenantNamed(operate: Operate, text: string): Promise<Schemas['Tenant']> {
  if (isId(text)) return (await operate<{ item: Schemas['Tenant'] }>('readTenant', { tenantId: text })).item;
  const tenants = await allOf<Schemas['Tenant']>(operate, 'listTenants', { search: text });
  return named(tenants, text, `tenant ${JSON.stringify(text)}`);
}

/** The zone that a command line names by id or by name. Throws as `tenantNamed` does. */
export async function zoneNamed(operate: Operate, text: string): Promise<Schemas['Zone']> {
  if (isId(text)) return (await operate<{ item: Schemas['Zone'] }>('readZone', { zoneId: text })).item;
  return named(await allOf<Schemas['Zone']>(operate, 'listZones'), text, `zone ${text}`);
}

function named<Item extends { readonly name: string }>(items: readonly Item[], text: string, what: string): Item {
  const namesake = items.find(({ name }) => name === text);
  if (namesake === undefined) throw Problem.notFound(`No matching records found: there is no ${what}`);
  return namesake;
}

/** Ids of zones and tenants fit into 32 bits; longer numerals can only be names. */
function isId(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
