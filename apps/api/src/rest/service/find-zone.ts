import { Problem } from '@callout/domain/problem';
import { findZoneOfUser, type ZoneAddress } from '@callout/tenancy/zones';
import type { ApiContext } from '../../api-context.ts';
import type { AddressLimit } from '../../http/limits/rate.ts';
import type { PublicCall } from '../../http/route/endpoint.ts';

/** Where a user reaches the installation. */
export interface UserZone {
  /** The number of the zone; the number of the tenant would reveal which user names exist. */
  readonly id: number;
  readonly name: string;
  /** The base address of the zone's APIs, without a slash at the end; empty = where the caller is already. */
  readonly base: string;
  readonly webUrl: string;
}

/**
 * The zone of a user name; null for an unknown name, with `ZONE_OF_UNKNOWN_USERS=none`. Throws a Problem: 400 without a
 * name, 429 for an address with too many requests.
 * @param key the name of the parameter in the caller's API, for messages.
 */
export type FindZone = (
  userName: string,
  key: string,
  caller: Pick<PublicCall, 'address' | 'hostUrl'>,
) => Promise<UserZone | null>;

/** Where a caller belongs when the installation has no zone yet. */
const NO_ZONE: ZoneAddress = { id: 0, name: 'default', url: '', webUrl: '' };

/** @param addressLimit limits endpoints without credentials that read the database. */
export function createFindZone({ config, database }: ApiContext, addressLimit: AddressLimit): FindZone {
  return async (userName, key, { address, hostUrl }) => {
    await addressLimit(address);
    const user = userName.trim();
    if (user === '') {
      const message = `${key} is required: the user name whose zone is asked for.`;
      throw Problem.invalid([{ code: 'required', field: key, message }]);
    }
    // PostgreSQL refuses U+0000, and no user name contains U+0000.
    const folded = user.toLowerCase().replaceAll('\0', '');
    const zone = await findZoneOfUser(database.prisma, folded, config.ZONE_OF_UNKNOWN_USERS);
    if (zone === null) return null;
    // A zone without an address is at the address of the installation, or where the caller is already: the path alone
    // is enough.
    const { id, name, url, webUrl } = zone ?? NO_ZONE;
    const base = url === '' ? (config.PUBLIC_URL ?? hostUrl ?? '') : url;
    return { id, name, base, webUrl: webUrl === '' ? `${base}/` : webUrl };
  };
}
