import type { Client, Database } from '@callout/database/connection/database';
import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import type { AuthenticationAttempt } from './authentication-failures.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

/**
 * Whether a tenant is served here (`active`), or the stage of a move to another zone: being copied to this database
 * (`arriving`), closed for changes while being copied from here (`moving`), or served by another zone (`left`).
 */
export type TenantState = 'active' | 'arriving' | 'moving' | 'left';

/** A credential, with the present rights of its resource and tenant. */
export interface Credential {
  credentialId: number;
  tenantId: number;
  resourceId: number;
  apiIntegrationCode: string;
  /** SHA-256 of the secret, or scrypt if `secretScrypt` is set. */
  secretHash: Buffer;
  /** How an imported secret was hashed; null for a generated one. */
  secretScrypt: string | null;
  role: string;
  isResourceActive: boolean;
  canCreateWebhooks: boolean;
  /** The tenant's own limit of requests per hour; null is the installation's default, 0 none. */
  apiRequestsPerHour: number | null;
  tenantState: TenantState;
  /** Identifies the versions of the three rows; see `CachedAuthentication`. */
  version: string;
}

/** The data for a request with a user name. */
export interface FoundCredential {
  /** Seconds for which the user name is still locked out from the address; 0 without a lockout. */
  lockedForS: number;
  /** Undefined when no credential has the user name, or the credential is revoked. */
  credential: Credential | undefined;
  /** Another zone that serves the user name; undefined: this zone. */
  otherZone: { name: string; url: string } | undefined;
}

/** The columns of the credential are null without a credential, and the columns of the zone without a zone. */
type SignInRow = { lockedForS: number; zoneName: string | null; zoneUrl: string } & (
  Credential | { credentialId: null }
);

// Every request of the API begins with authentication, so one prepared statement serves all requests of a round trip,
// lockout and tenant's limit included: Prisma would need several queries for the joins and four times the CPU. The
// other zone is looked up for known and unknown names, so the time of a response does not reveal which names exist.
// OFFSET 0 hides the length of the arrays from the planner. With the length, the planner would find a plan for just
// that length cheaper than the general plan, and plan again for every request: four times as long as the execution.
const findForAuthentication = statementFrom<SignInRow>('tenancy:credentials_find');

/** Reads credentials. Rights are read again each time: taking one away counts from the next request on. */
export function createCredentialStore({ pool, prisma }: Pick<Database, 'prisma'> & { pool: Client }) {
  return {
    /** Credentials by user name, and their lockout at the address of the request. One entry for each authentication. */
    async findForAuthentication<One extends AuthenticationAttempt>(
      signIns: readonly One[],
    ): Promise<Map<One, FoundCredential>> {
      const userNames = signIns.map((signIn) => signIn.foldedUserName);
      const rows = await findForAuthentication(pool, [
        userNames,
        userNames.map(userNameHash),
        signIns.map((signIn) => signIn.address),
      ]);
      return new Map(signIns.map((signIn, nth) => [signIn, foundIn(rows[nth])]));
    },
    /** Whether the tenant has the resource and the resource may act. */
    async isActiveResource(tenantId: number, resourceId: number): Promise<boolean> {
      const resource = await prisma.resource.findFirst({
        where: { tenantId, id: resourceId, isActive: true, deletedAt: null },
        select: { id: true },
      });
      return resource !== null;
    },
  };
}

function foundIn(row: SignInRow | undefined): FoundCredential {
  if (row === undefined) throw new Error('the database answered fewer authentications than it was asked for');
  const { lockedForS, zoneName, zoneUrl, ...credential } = row;
  return {
    lockedForS,
    credential: credential.credentialId === null ? undefined : credential,
    otherZone: zoneName === null ? undefined : { name: zoneName, url: zoneUrl },
  };
}
