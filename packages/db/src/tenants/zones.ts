import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

/** Where a group of tenants reaches the service. */
export interface ZoneAddress {
  id: number;
  name: string;
  /** Scheme, host and port, without a slash at the end; empty when the zone has no address of its own. */
  url: string;
  /** The address for people; may be empty. */
  webUrl: string;
}

const find = statement<ZoneAddress>(
  'zones_of_user',
  `SELECT id, name, url, web_url AS "webUrl" FROM zones WHERE id = coalesce(
     (SELECT t.zone_id FROM credentials c JOIN tenants t ON t.id = c.tenant_id
      WHERE c.user_name_folded = $1 AND c.revoked_at IS NULL),
     (SELECT id FROM zones WHERE is_default))`,
);

/**
 * The zone of a user's tenant; the default zone for a user name that nobody has, so that the answer does not tell which
 * names exist. Undefined when there is no default zone.
 */
export async function findZoneOfUser(client: Client, foldedUserName: string): Promise<ZoneAddress | undefined> {
  return (await find(client, [foldedUserName]))[0];
}

const findUrls = statement<{ tenantId: number; url: string }>(
  'zones_of_tenants',
  `SELECT t.id AS "tenantId", z.url FROM tenants t JOIN zones z ON z.id = t.zone_id WHERE t.id = ANY($1)`,
);

/** The URLs of the tenants' zones, as in ZoneAddress; a tenant without a zone is left out. */
export async function findZoneUrls(client: Client, tenantIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await findUrls(client, [tenantIds]);
  return new Map(rows.map(({ tenantId, url }) => [tenantId, url]));
}
