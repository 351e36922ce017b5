import { Problem } from '@callout/core/errors';
import type { ZoneAddress } from '@callout/db/tenants';
import type { AddressLimit } from '../http/limits/address-limit.ts';
import type { PublicCall } from '../http/route/endpoint.ts';

interface ZoneDeps {
  /** Where clients reach the installation, without a slash at the end; undefined when only zones say so. */
  readonly publicUrl: string | undefined;
  /** Limits what needs no credentials and reads the database. */
  readonly addressLimit: AddressLimit;
  /** The zone of a user name in lower case; the default zone for an unknown one. */
  readonly findZoneOfUser: (foldedUserName: string) => Promise<ZoneAddress | undefined>;
}

/** Where a user reaches the installation. */
export interface UserZone {
  /** The number of the zone: that of the tenant would tell which user names exist. */
  readonly id: number;
  readonly name: string;
  /** What the addresses of its APIs begin with, without a slash at the end; empty = where the caller is already. */
  readonly base: string;
  readonly webUrl: string;
}

/**
 * The zone of a user name. Throws a Problem: 400 without a name, 429 for an address that asks too often.
 * @param key what the caller's API calls the name, for sentences.
 */
export type FindZone = (
  userName: string,
  key: string,
  caller: Pick<PublicCall, 'address' | 'hostUrl'>,
) => Promise<UserZone>;

/** Where a caller belongs when the installation has no zone yet. */
const NO_ZONE: ZoneAddress = { id: 0, name: 'default', url: '', webUrl: '' };

export function createFindZone({ publicUrl, addressLimit, findZoneOfUser }: ZoneDeps): FindZone {
  return async (userName, key, { address, hostUrl }) => {
    await addressLimit(address);
    const user = userName.trim();
    if (user === '') {
      const message = `${key} is required: the user name whose zone is asked for.`;
      throw Problem.invalid([{ code: 'required', field: key, message }]);
    }
    // PostgreSQL takes no U+0000, and no user name has one.
    const zone = await findZoneOfUser(user.toLowerCase().replaceAll('\0', ''));
    // A zone without an address is reached where the installation is, or where the caller is already: the path alone
    // says that too.
    const { id, name, url, webUrl } = zone ?? NO_ZONE;
    const base = url === '' ? (publicUrl ?? hostUrl ?? '') : url;
    return { id, name, base, webUrl: webUrl === '' ? `${base}/` : webUrl };
  };
}
