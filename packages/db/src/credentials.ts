import type { Client, Database } from './database.ts';
import { statement } from './statement.ts';

/** A credential, with what its resource may do now. */
export interface Credential {
  credentialId: number;
  tenantId: number;
  resourceId: number;
  apiIntegrationCode: string;
  /** SHA-256 of the secret. */
  secretHash: Buffer;
  role: string;
  isResourceActive: boolean;
  canCreateWebhooks: boolean;
}

export interface CredentialStore {
  /** Credentials that are not revoked, by user name in lower case. */
  findByUserNames(foldedUserNames: readonly string[]): Promise<Map<string, Credential>>;
  /** Whether the tenant has this resource and it may act. */
  isActiveResource(tenantId: number, resourceId: number): Promise<boolean>;
}

// Every request of the API begins with it, so it is one prepared statement for all requests of a round trip: Prisma would
// need two queries for the join and four times the CPU.
const findByUserNames = statement<Credential & { userNameFolded: string }>(
  'credentials_find',
  `SELECT c.user_name_folded AS "userNameFolded", c.id AS "credentialId", c.tenant_id AS "tenantId",
     c.resource_id AS "resourceId", c.api_integration_code AS "apiIntegrationCode", c.secret_hash AS "secretHash", c.role,
     r.is_active AND r.deleted_at IS NULL AS "isResourceActive", r.can_create_webhooks AS "canCreateWebhooks"
   FROM credentials c JOIN resources r ON (r.tenant_id, r.id) = (c.tenant_id, c.resource_id)
   WHERE c.user_name_folded = ANY($1::text[]) AND c.revoked_at IS NULL`,
);

/** Reads credentials. Rights are read anew each time: taking one away counts from the next request on. */
export function createCredentialStore({ pool, prisma }: Pick<Database, 'prisma'> & { pool: Client }): CredentialStore {
  return {
    async findByUserNames(foldedUserNames) {
      const rows = await findByUserNames(pool, [foldedUserNames]);
      return new Map(rows.map(({ userNameFolded, ...credential }) => [userNameFolded, credential]));
    },
    async isActiveResource(tenantId, resourceId) {
      const resource = await prisma.resource.findFirst({
        where: { tenantId, id: resourceId, isActive: true, deletedAt: null },
        select: { id: true },
      });
      return resource !== null;
    },
  };
}
