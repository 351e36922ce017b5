import type { Database } from '../connection/database.ts';

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
 * The zone of a user's tenant; the default zone for a user name that does not exist, so that the answer does not tell which
 * names exist. Undefined when there is no default zone.
 */
export async function findZoneOfUser(models: Models, foldedUserName: string): Promise<ZoneAddress | undefined> {
  const credential = await models.credential.findUnique({
    where: { userNameFolded: foldedUserName, revokedAt: null },
    select: { resource: { select: { tenant: { select: { zone: { select: address } } } } } },
  });
  if (credential !== null) return credential.resource.tenant.zone;
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
