import { hash, randomBytes, randomUUID } from 'node:crypto';
import { hashImportedSecret } from '@callout/domain/secrets/imported-secret';
import { assignId } from '@callout/database/tables/counters';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';

export interface NewTenant {
  /** Unique in the installation. */
  name: string;
  /** The default zone when absent. */
  zoneId?: number;
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

/** An imported credential, with the values that its callers send already. */
export interface ImportedCredential extends NewCredential {
  secret?: string;
  apiIntegrationCode?: string;
}

/** The headers of a caller. The secret exists only here: its hash is stored. */
export interface IssuedCredential {
  userName: string;
  secret: string;
  apiIntegrationCode: string;
}

export interface TenantStore {
  count(): Promise<number>;
  /** The id of the tenant with exactly this name. */
  findByName(name: string): Promise<number | undefined>;
  /** Makes a tenant, and the default zone when that is wanted and there is none. Returns the tenant's id. */
  create(tenant: NewTenant): Promise<number>;
  /** Makes a resource; returns its id, sequential in the tenant. */
  createResource(resource: NewResource): Promise<number>;
  /** Makes a credential with a generated secret of 256 bits, which is shown this once. */
  createCredential(credential: NewCredential): Promise<IssuedCredential>;
  /**
   * Makes a credential with an imported secret, an imported code, or both.
   * @returns the generated parts, to be shown this once.
   */
  importCredential(credential: ImportedCredential): Promise<Partial<IssuedCredential>>;
  /**
   * Gives a credential of the tenant a new secret and code: the old ones stop working, and a revoked one works again.
   * Undefined when the tenant has no credential with this user name.
   */
  reissueCredential(tenantId: number, userName: string): Promise<IssuedCredential | undefined>;
  /** Whether these headers are still valid for this credential: neither revoked nor of an inactive resource. */
  isUsable(tenantId: number, role: NewCredential['role'], issued: IssuedCredential): Promise<boolean>;
}

const RESOURCES = 'Resources';

/** Tenants, their resources and credentials, as operators set them up. */
export function createTenantStore({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>): TenantStore {
  return {
    count: () => prisma.tenant.count(),

    async findByName(name) {
      const tenant = await prisma.tenant.findUnique({ where: { name }, select: { id: true } });
      return tenant?.id;
    },

    create: (tenant) =>
      transaction(null, async ({ models }) => {
        const { id } = await models.tenant.create({
          data: { ...tenant, zoneId: tenant.zoneId ?? (await defaultZoneId(models)) },
          select: { id: true },
        });
        return id;
      }),

    createResource: (resource) =>
      transaction(resource.tenantId, async ({ models, sets }) => {
        const id = await assignId(sets, resource.tenantId, RESOURCES);
        await models.resource.create({ data: { ...resource, id } });
        return id;
      }),

    async createCredential(credential) {
      const { userName } = credential;
      const generated = generateSecret();
      const data = { ...credential, ...columnsOf(generated), userNameFolded: userName.toLowerCase() };
      await transaction(credential.tenantId, ({ models }) => models.credential.create({ data }));
      return { userName, ...generated };
    },

    async importCredential({ secret, apiIntegrationCode, ...credential }) {
      const generated = generateSecret();
      const stored = {
        ...(secret === undefined ? hashOfGenerated(generated.secret) : await hashOfImported(secret)),
        apiIntegrationCode: apiIntegrationCode ?? generated.apiIntegrationCode,
      };
      const userNameFolded = credential.userName.toLowerCase();
      const data = { ...credential, ...stored, userNameFolded };
      await transaction(credential.tenantId, ({ models }) => models.credential.create({ data }));
      return {
        ...(secret === undefined && { secret: generated.secret }),
        ...(apiIntegrationCode === undefined && { apiIntegrationCode: generated.apiIntegrationCode }),
      };
    },

    async reissueCredential(tenantId, userName) {
      const generated = generateSecret();
      const { count } = await transaction(tenantId, ({ models }) =>
        models.credential.updateMany({
          where: { tenantId, userNameFolded: userName.toLowerCase() },
          data: { ...columnsOf(generated), revokedAt: null },
        }),
      );
      return count === 0 ? undefined : { userName, ...generated };
    },

    async isUsable(tenantId, role, { userName, secret, apiIntegrationCode }) {
      const count = await prisma.credential.count({
        where: {
          tenantId,
          role,
          userNameFolded: userName.toLowerCase(),
          apiIntegrationCode,
          ...hashOfGenerated(secret),
          revokedAt: null,
          resource: { isActive: true, deletedAt: null },
        },
      });
      return count > 0;
    },
  };
}

/** A secret of 256 random bits, and a code. */
function generateSecret() {
  return { secret: randomBytes(32).toString('base64url'), apiIntegrationCode: randomUUID() };
}

/** The stored form of a generated credential. */
function columnsOf({ secret, apiIntegrationCode }: ReturnType<typeof generateSecret>) {
  return { ...hashOfGenerated(secret), apiIntegrationCode };
}

/** A generated secret cannot be guessed, so one round of SHA-256 protects it, and checking it costs microseconds. */
function hashOfGenerated(secret: string) {
  return { secretHash: Uint8Array.from(hash('sha256', secret, 'buffer')), secretScrypt: null };
}

const saltBytes = 16;

/** A secret that a person chose may be short, so each guess must be expensive. */
async function hashOfImported(secret: string) {
  const { hash: secretHash, scrypt } = await hashImportedSecret(secret, randomBytes(saltBytes));
  return { secretHash: Uint8Array.from(secretHash), secretScrypt: scrypt };
}

/**
 * The zone that a tenant gets when none is chosen. Two that make it at once: the second fails, and its tenant with it.
 */
async function defaultZoneId(models: SharedTransaction['models']): Promise<number> {
  const known = await models.zone.findFirst({ where: { isDefault: true }, select: { id: true } });
  if (known) return known.id;
  // Without addresses of its own: the service is reached at the address that the caller used.
  const data = { name: 'default', url: '', webUrl: '', isDefault: true };
  const { id } = await models.zone.create({ data, select: { id: true } });
  return id;
}
