import type { Administration } from '@callout/tenancy/operator/administration/administration';
import type { LockoutItem } from '@callout/tenancy/operator/administration/lockout-administration';
import type { Page } from '@callout/tenancy/operator/administration/page';
import type { TenantItem } from '@callout/tenancy/operator/administration/tenant-administration';
import type { ZoneItem } from '@callout/tenancy/operator/administration/zone-administration';

/** The tenant that a command line names by id or by name. Throws a Problem `notFound`. */
export function tenantNamed({ tenants }: Administration, text: string): Promise<TenantItem> {
  return isId(text) ? tenants.read(Number(text)) : tenants.readByName(text);
}

/** The zone that a command line names by id or by name. Throws a Problem `notFound`. */
export function zoneNamed({ zones }: Administration, text: string): Promise<ZoneItem> {
  return isId(text) ? zones.read(Number(text)) : zones.readByName(text);
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

/** The same for lockouts, which have no ids. */
export async function allLockouts({ lockouts }: Administration): Promise<LockoutItem[]> {
  const all: LockoutItem[] = [];
  for (;;) {
    const page = await lockouts.list({ after: all.at(-1)?.endDateTime ?? null, limit: ITEMS_PER_PAGE });
    all.push(...page);
    if (page.length < ITEMS_PER_PAGE) return all;
  }
}

const ITEMS_PER_PAGE = 500;

/** Ids of zones and tenants fit into 32 bits; longer numerals can only be names. */
function isId(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
