import { Problem } from '@callout/domain/problem';
import { parseCredentialChanges, parseCredentialCreate } from '../../input/credential-input.rules.ts';
import type { Database } from '@callout/database/connection/database';
import { changeCredential } from '../../credential-changes.ts';
import { createTenantStore } from '../../tenants.ts';
import { refusing } from './known-errors.ts';
import type { Prisma } from '@callout/database/generated/client';
import type { Page } from './tenant-administration.ts';

/**
 * Credentials, as operators see them. Throws Problems: `invalid`, `notFound`, and `conflict` for a user name that is
 * used.
 */
export function createCredentialAdministration(database: Pick<Database, 'prisma' | 'transaction'>) {
  const { prisma, transaction } = database;
  const tenants = createTenantStore(database);

  async function read(tenantId: number, id: number) {
    const row = await prisma.credential.findUnique({ where: { id, tenantId }, select });
    if (row !== null) return itemOf(row);
    throw Problem.notFound(`No matching records found: tenant ${tenantId} has no credential ${id}`);
  }

  /** The tenant that a user name decides, and the credential. */
  async function readByUserName(userName: string) {
    const where = { userNameFolded: userName.toLowerCase() };
    const row = await prisma.credential.findUnique({ where, select: { ...select, tenantId: true } });
    if (row === null) throw Problem.notFound(`No matching records found: there is no user name ${userName}`);
    return { ...itemOf(row), tenantID: row.tenantId };
  }

  /** Nothing may let callers of a tenant in again that is being deleted. */
  async function mustStay(tenantId: number): Promise<void> {
    const tenant = await prisma.tenant.findUnique({ where: { id: tenantId }, select: { deletingAt: true } });
    if (tenant?.deletingAt) throw Problem.conflict(`Tenant ${tenantId} is being deleted`);
  }

  async function mustHaveResource(tenantId: number, id: number): Promise<void> {
    const where = { tenantId_id: { tenantId, id }, deletedAt: null };
    const resource = await prisma.resource.findUnique({ where, select: { id: true } });
    if (resource === null)
      throw Problem.unknownReference(`resourceID ${id} is no resource of tenant ${tenantId}`, 'resourceID');
  }

  return {
    /** The credentials of a tenant, revoked ones too. */
    async list(tenantId: number, { after, limit }: Page) {
      const tenant = await prisma.tenant.findUnique({ where: { id: tenantId }, select: { id: true } });
      if (tenant === null) throw Problem.notFound(`No matching records found: there is no tenant ${tenantId}`);
      const where = { tenantId, id: { gt: after } };
      const rows = await prisma.credential.findMany({ where, select, orderBy: { id: 'asc' }, take: limit });
      return rows.map(itemOf);
    },
    read,
    readByUserName,
    /**
     * Makes a credential of a body with resourceID, userName and role, and maybe an imported secret and code.
     * @returns the credential with the generated parts, which are shown only once; imported parts are not shown.
     */
    async create(tenantId: number, body: unknown) {
      const credential = parseCredentialCreate(body);
      await mustStay(tenantId);
      await mustHaveResource(tenantId, credential.resourceId);
      // Names are unique over all tenants; the response does not reveal the other tenant.
      const taken = Problem.duplicate(`userName ${credential.userName} is taken`, 'userName');
      // Nothing is read afterwards: a failure would lose the secret, which is shown only now.
      const issued = await refusing({ taken }, () => tenants.importCredential({ tenantId, ...credential }));
      return { ...itemOf(issued.stored), ...issued.generated };
    },
    /** Changes the role, from the next request on. */
    async update(tenantId: number, id: number, body: unknown) {
      const changes = parseCredentialChanges(body);
      await transaction(tenantId, (shared) => changeCredential(shared, { tenantId, id }, () => changes));
      return read(tenantId, id);
    },
    /** Gives a credential a new secret and code: the old ones stop working, and a revoked one works again. */
    async reissue(tenantId: number, id: number) {
      await mustStay(tenantId);
      const item = await read(tenantId, id);
      const issued = await tenants.reissueCredential(tenantId, item.userName);
      if (issued === undefined) throw Problem.notFound();
      return { ...item, isSecretImported: false, revokeDateTime: null, ...issued };
    },
    /** From the next request on it is refused. Revoking it twice changes nothing. */
    async revoke(tenantId: number, id: number) {
      await transaction(tenantId, async (shared) => {
        const revoked = await changeCredential(shared, { tenantId, id }, ({ revokedAt }) => ({
          revokedAt: revokedAt ?? new Date(),
        }));
        // Such sessions count no more in any case: deleting them keeps a later change from making them count again.
        await shared.models.consoleSession.deleteMany({ where: { credentialId: { in: revoked } } });
      });
      return read(tenantId, id);
    },
  };
}

const select = {
  id: true,
  resourceId: true,
  userName: true,
  role: true,
  secretScrypt: true,
  createdAt: true,
  revokedAt: true,
} as const;

function itemOf({ resourceId, secretScrypt, createdAt, revokedAt, ...row }: CredentialRow) {
  return {
    id: row.id,
    resourceID: resourceId,
    userName: row.userName,
    role: row.role,
    /** The secret was imported, and may be weaker than a generated secret, until the credential is reissued. */
    isSecretImported: secretScrypt !== null,
    createDateTime: createdAt,
    revokeDateTime: revokedAt,
  };
}

type CredentialRow = Prisma.CredentialGetPayload<{ select: typeof select }>;
