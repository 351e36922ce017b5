import type { Client, Database } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

const readUsers = statementFrom<{ name: string }>('tenancy:zone_read_users');
const removeOtherUsers = statementFrom('tenancy:zone_remove_other_users');
const addUsers = statementFrom('tenancy:zone_add_users');

/** Where a group of tenants reaches the service. */
export interface ZoneAddress {
  id: number;
  name: string;
  /** Scheme, host and port, without a slash at the end; empty when the zone has no address of its own. */
  url: string;
  /** The address for people; may be empty. */
  webUrl: string;
}

type Models = Database['prisma'];

const address = { id: true, name: true, url: true, webUrl: true } as const;

/**
 * The zone of a user's tenant, or of a user that belongs to another zone. For an unknown user name, `default` finds the
 * default zone, so the response does not reveal which names exist, and `none` is null. Undefined when there is no
 * default zone.
 */
export async function findZoneOfUser(
  models: Models,
  foldedUserName: string,
  ofUnknown: 'default' | 'none' = 'default',
): Promise<ZoneAddress | null | undefined> {
  const credential = await models.credential.findUnique({
    where: { userNameFolded: foldedUserName, revokedAt: null },
    select: { resource: { select: { tenant: { select: { state: true, zone: { select: address } } } } } },
  });
  // While a tenant arrives, the old zone serves the tenant, as only the old zone knows; the next address is as good.
  if (credential !== null && credential.resource.tenant.state !== 'left') return credential.resource.tenant.zone;
  const elsewhere = await models.zoneUser.findUnique({
    where: { userNameFolded: foldedUserName },
    select: { zone: { select: address } },
  });
  if (elsewhere !== null) return elsewhere.zone;
  if (ofUnknown === 'none') return null;
  return (await models.zone.findFirst({ where: { isDefault: true }, select: address })) ?? undefined;
}

/** The URLs of the tenants' zones, as in ZoneAddress; a tenant without a zone is left out. */
export async function findZoneUrls(models: Models, tenantIds: readonly number[]): Promise<Map<number, string>> {
  const tenants = await models.tenant.findMany({
    where: { id: { in: [...tenantIds] } },
    select: { id: true, zone: { select: { url: true } } },
  });
  return new Map(tenants.map(({ id, zone }) => [id, zone.url]));
}

const namesPerRead = 5_000;

/**
 * Updates the users of a zone in one database from the zone's own database: adds new ones and removes deleted ones. May
 * be repeated at any time.
 * @returns the number of the zone's users.
 */
export async function learnUsers(client: Client, zoneId: number, ofZone: Client): Promise<number> {
  const names: string[] = [];
  for (let after = ''; ;) {
    const rows = await readUsers(ofZone, [after, namesPerRead]);
    if (rows.length === 0) break;
    names.push(...rows.map(({ name }) => name));
    after = names.at(-1) ?? '';
  }
  await removeOtherUsers(client, [zoneId, names]);
  await addUsers(client, [zoneId, names]);
  return names.length;
}
