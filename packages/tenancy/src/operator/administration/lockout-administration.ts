import { Problem } from '@callout/domain/problem';
import { clientNetwork } from '@callout/domain/input/client-network';
import type { Client, Database } from '@callout/database/connection/database';
import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** A user name that is locked out from an address. */
export interface LockoutItem {
  /**
   * Null when no credential has the name: unknown names are stored as a digest only, since they may have been secrets.
   */
  readonly userName: string | null;
  /** The tenant of the user name; null when no credential has it. */
  readonly tenantID: number | null;
  readonly tenantName: string | null;
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly address: string;
  readonly endDateTime: Date;
}

/** A part of the list of lockouts. */
export interface LockoutPage {
  /** When the last one of the page before ends; null for the first page. */
  readonly after: Date | null;
  readonly limit: number;
  /** Lockouts of one tenant's user names; absent: all. */
  readonly tenantId?: number | null;
}

const lift = statementFrom<{ wasLocked: boolean }>('tenancy:operator/administration/lockouts_lift');

/** Lockouts, as operators see and end them. */
export function createLockoutAdministration({ pool, prisma }: Pick<Database, 'prisma'> & { pool: Client }) {
  return {
    /**
     * The present lockouts, the last to end first; no more than `limit`, except lockouts that end together with the
     * last lockout of the page.
     */
    // By Prisma, whose connections may hash a table of credentials: those of the pool plan for sets named by their
    // keys. To the millisecond, as shown, so a page can begin where the page before ended.
    list: ({ after, limit, tenantId = null }: LockoutPage) => prisma.$queryRaw<LockoutItem[]>`
      SELECT c.user_name AS "userName", c.tenant_id AS "tenantID", t.name AS "tenantName", f.address, f.ends_at AS "endDateTime"
      FROM (
        SELECT user_name_hash, address, date_trunc('milliseconds', expires_at) AS ends_at
        FROM sign_in_failures WHERE is_locked AND expires_at > now()
      ) f
      LEFT JOIN credentials c ON sha256(convert_to(c.user_name_folded, 'UTF8')) = f.user_name_hash
      LEFT JOIN tenants t ON t.id = c.tenant_id
      WHERE (${after}::timestamptz IS NULL OR f.ends_at < ${after}::timestamptz)
        AND (${tenantId}::int IS NULL OR c.tenant_id = ${tenantId}::int)
      ORDER BY f.ends_at DESC FETCH FIRST ${limit} ROWS WITH TIES`,
    /**
     * Ends the lockouts of a user name, from one address or from all addresses, and forgets the failures that count.
     * @returns how many lockouts ended; 0 is no mistake.
     * @throws a Problem `invalid` when `address` is no address.
     */
    async lift(userName: string, address?: string): Promise<number> {
      const network = address === undefined ? null : networkOf(address);
      const lifted = await lift(pool, [userNameHash(userName.toLowerCase()), network]);
      return lifted.filter(({ wasLocked }) => wasLocked).length;
    },
  };
}

/** As failures are counted: all addresses of an IPv6 /64 network are one. */
function networkOf(address: string): string {
  const network = clientNetwork(address.replace(/\/64$/, ''));
  if (network !== undefined) return network;
  throw Problem.invalid('address must be an IP address, as the list of lockouts has it', 'address');
}
