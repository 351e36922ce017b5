import { hash, randomBytes, randomUUID } from 'node:crypto';
import { idAt, takeIds } from './counters.ts';
import type { Database } from './database.ts';
import type { Prisma } from './generated/client.ts';
import { transactionLimits } from './transaction-limits.ts';

export interface NewTenant {
  /** Unique in the installation. */
  name: string;
  /** Callouts per entity in any 3,600 s; null is the installation's default, 0 none. */
  calloutThreshold?: number | null;
  /** API requests per hour; null is the installation's default, 0 none. */
  apiRequestsPerHour?: number | null;
}

export interface NewResource {
  tenantId: number;
  email: string;
  canCreateWebhooks: boolean;
}

export interface NewCredential {
  tenantId: number;
  resourceId: number;
  /** Unique in the installation, ignoring case; decides the tenant. */
  userName: string;
  role: 'integrator' | 'source' | 'admin';
}

/** What a caller sends as headers. The secret is nowhere else: only its hash is stored. */
export interface IssuedCredential {
  userName: string;
  secret: string;
  apiIntegrationCode: string;
}

export interface TenantStore {
  count(): Promise<number>;
  /** Makes a tenant in the default zone, and that zone when there is none. Returns the tenant's id. */
  create(tenant: NewTenant): Promise<number>;
  /** Makes a resource; returns its id, sequential in the tenant. */
  createResource(resource: NewResource): Promise<number>;
  /** Makes a credential with a generated secret of 256 bits, which is shown this once. */
  createCredential(credential: NewCredential): Promise<IssuedCredential>;
}

const RESOURCES = 'Resources';

/** Tenants, their resources and credentials: what an operator sets up. */
export function createTenantStore({ prisma }: Pick<Database, 'prisma'>): TenantStore {
  return {
    count: () => prisma.tenant.count(),

    create: (tenant) =>
      prisma.$transaction(async (transaction) => {
        const { id } = await transaction.tenant.create({
          data: { ...tenant, zoneId: await defaultZoneId(transaction) },
          select: { id: true },
        });
        return id;
      }, transactionLimits),

    createResource: (resource) =>
      prisma.$transaction(async (transaction) => {
        const ids = await takeIds(transaction, resource.tenantId, { [RESOURCES]: 1 });
        const id = idAt(ids, RESOURCES, 0);
        await transaction.resource.create({ data: { ...resource, id } });
        return id;
      }, transactionLimits),

    async createCredential(credential) {
      const { userName } = credential;
      const secret = randomBytes(32).toString('base64url');
      const apiIntegrationCode = randomUUID();
      // A generated secret cannot be guessed, so one round of SHA-256 protects it, and checking it costs microseconds.
      const secretHash = Uint8Array.from(hash('sha256', secret, 'buffer'));
      await prisma.credential.create({
        data: { ...credential, userNameFolded: userName.toLowerCase(), apiIntegrationCode, secretHash },
      });
      return { userName, secret, apiIntegrationCode };
    },
  };
}

/** The zone that a tenant gets when none is chosen. Two that make it at once: the second fails, and its tenant with it. */
async function defaultZoneId(transaction: Prisma.TransactionClient): Promise<number> {
  const known = await transaction.zone.findFirst({ where: { isDefault: true }, select: { id: true } });
  if (known) return known.id;
  // Without addresses of its own: the service is reached under the one that the caller used.
  const data = { name: 'default', url: '', webUrl: '', isDefault: true };
  const { id } = await transaction.zone.create({ data, select: { id: true } });
  return id;
}
