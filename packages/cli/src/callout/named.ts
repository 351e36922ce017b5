import { Problem } from '@callout/core';
import type { Administration, Page, TenantItem, ZoneItem } from '@callout/db';

/** The tenant that a command line names by id or by name. Throws a Problem 404. */
export function tenantNamed({ tenants }: Administration, text: string): Promise<TenantItem> {
  return isId(text) ? tenants.read(Number(text)) : tenants.readByName(text);
}

/** The zone that a command line names by id or by name. Throws a Problem 404. */
export async function zoneNamed({ zones }: Administration, text: string): Promise<ZoneItem> {
  const known = await zones.list();
  const found = known.find(({ id, name }) => (isId(text) ? id === Number(text) : name === text));
  if (found === undefined) throw Problem.notFound(`404: No matching records found: there is no zone ${text}`);
  return found;
}

/** All pages of a list, one after another. */
export async function allPages<Item extends { readonly id: number }>(
  list: (page: Page) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await list({ after: all.at(-1)?.id ?? 0, limit: ITEMS_PER_PAGE });
    all.push(...page);
    if (page.length < ITEMS_PER_PAGE) return all;
  }
}

const ITEMS_PER_PAGE = 500;

/** Ids of zones and tenants fit into 32 bits; longer numerals can only be names. */
function isId(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
