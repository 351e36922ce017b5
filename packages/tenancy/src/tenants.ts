import { hash, randomBytes, randomUUID } from 'node:crypto';
import { byOperator } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { hashImportedSecret } from '@callout/domain/secrets/imported-secret';
import { recordChanges } from '@callout/database/changes/record-changes';
import { assignId } from '@callout/database/counters';
import type { Database } from '@callout/database/connection/database';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import type { Credential } from '@callout/database/generated/client';
import { valuesOfResource, valuesOfTenant } from './configuration-values.ts';
import { changeCredential, storeCredential } from './credential-changes.ts';

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

/** An imported credential, with values that callers send already. */
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

const RESOURCES = 'Resources';

export type TenantStore = ReturnType<typeof createTenantStore>;

/** Tenants, their resources and credentials, as operators set them up. */
export function createTenantStore({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>) {
  return {
    count: () => prisma.tenant.count(),

    /** The id of the tenant with exactly this name. */
    async findByName(name: string): Promise<number | undefined> {
      const tenant = await prisma.tenant.findUnique({ where: { name }, select: { id: true } });
      return tenant?.id;
    },

    /** Makes a tenant, and the default zone when wanted and missing. @returns the tenant's id. */
    create: (tenant: NewTenant): Promise<number> =>
      transaction(null, async ({ models, sets }) => {
        const row = await models.tenant.create({
          data: { ...tenant, zoneId: tenant.zoneId ?? (await defaultZoneId(models)) },
        });
        const { id } = row;
        const fields = fieldChanges(null, valuesOfTenant(row));
        await recordChanges(sets, [{ ...created, tenantId: id, entity: 'tenant', entityId: id, fields }]);
        return id;
      }),

    /** Makes a resource; returns its id, sequential in the tenant. */
    createResource: (resource: NewResource): Promise<number> =>
      transaction(resource.tenantId, async ({ models, sets }) => {
        const id = await assignId(sets, resource.tenantId, RESOURCES);
        const row = await models.resource.create({ data: { ...resource, id } });
        const fields = fieldChanges(null, valuesOfResource(row));
        const { tenantId } = resource;
        await recordChanges(sets, [{ ...created, tenantId, entity: 'resource', entityId: id, fields }]);
        return id;
      }),

    /** Makes a credential with a generated secret of 256 bits, which is shown this once. */
    async createCredential(credential: NewCredential): Promise<IssuedCredential> {
      const { userName } = credential;
      const generated = generateSecret();
      const data = { ...credential, ...columnsOf(generated), userNameFolded: userName.toLowerCase() };
      await transaction(credential.tenantId, (shared) => storeCredential(shared, data));
      return { userName, ...generated };
    },

    /**
     * Makes a credential with an imported secret, an imported code, or both.
     * @returns the credential, and the generated parts, to be shown only now.
     */
    async importCredential({
      secret,
      apiIntegrationCode,
      ...credential
    }: ImportedCredential): Promise<{ stored: Credential; generated: Partial<IssuedCredential> }> {
      const generated = generateSecret();
      const data = {
        ...credential,
        ...(secret === undefined ? hashOfGenerated(generated.secret) : await hashOfImported(secret)),
        apiIntegrationCode: apiIntegrationCode ?? generated.apiIntegrationCode,
        userNameFolded: credential.userName.toLowerCase(),
      };
      const stored = await transaction(credential.tenantId, (shared) => storeCredential(shared, data));
      const shown = {
        ...(secret === undefined && { secret: generated.secret }),
        ...(apiIntegrationCode === undefined && { apiIntegrationCode: generated.apiIntegrationCode }),
      };
      return { stored, generated: shown };
    },

    /**
     * Gives a credential of the tenant a new secret and code: the old secret and code stop working, sessions end, and a
     * revoked credential works again. Undefined when the tenant has no credential with the user name.
     */
    async reissueCredential(tenantId: number, userName: string): Promise<IssuedCredential | undefined> {
      const generated = generateSecret();
      const [reissued] = await transaction(tenantId, async (shared) => {
        const secret = { ...columnsOf(generated), revokedAt: null };
        const changed = await changeCredential(shared, { tenantId, userName }, () => secret);
        await shared.models.consoleSession.deleteMany({ where: { credentialId: { in: changed } } });
        return changed;
      });
      return reissued === undefined ? undefined : { userName, ...generated };
    },

    /** Whether headers are still valid for a credential: neither revoked nor of an inactive resource. */
    async isUsable(
      tenantId: number,
      role: NewCredential['role'],
      { userName, secret, apiIntegrationCode }: IssuedCredential,
    ): Promise<boolean> {
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

/** Operators alone make tenants. */
const created = { action: 'created', actor: byOperator } as const;

/** A secret of 256 random bits, and a code. */
function generateSecret() {
  return { secret: randomBytes(32).toString('base64url'), apiIntegrationCode: randomUUID() };
}

/** The stored form of a generated credential. */
function columnsOf({ secret, apiIntegrationCode }: ReturnType<typeof generateSecret>) {
  return { ...hashOfGenerated(secret), apiIntegrationCode };
}

/**
 * A generated secret cannot be guessed, so one round of SHA-256 is protection enough, and a check costs microseconds.
 */
function hashOfGenerated(secret: string) {
  return { secretHash: Uint8Array.from(hash('sha256', secret, 'buffer')), secretScrypt: null };
}

const saltBytes = 16;

/** A secret chosen by a person may be short, so each guess must be expensive. */
async function hashOfImported(secret: string) {
  const { hash: secretHash, scrypt } = await hashImportedSecret(secret, randomBytes(saltBytes));
  return { secretHash: Uint8Array.from(secretHash), secretScrypt: scrypt };
}

/**
 * The zone of a tenant for whom no zone was chosen. When two requests make the zone at once, the second fails together
 * with its tenant.
 */
async function defaultZoneId(models: SharedTransaction['models']): Promise<number> {
  const zone = await models.zone.findFirst({ where: { isDefault: true }, select: { id: true } });
  if (zone) return zone.id;
  // Without addresses: the service is reached at the address that the caller used.
  const data = { name: 'default', url: '', webUrl: '', isDefault: true };
  const { id } = await models.zone.create({ data, select: { id: true } });
  return id;
}
