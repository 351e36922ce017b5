import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@callout/core';

/** What a credential is for: `integrator` webhooks and reads, `source` records and events, `admin` everything. */
export type Role = 'integrator' | 'source' | 'admin';

/** Who calls, on whose behalf, and with which rights. */
export interface Caller {
  readonly credentialId: number;
  readonly tenantId: number;
  /** The API user: owner of the webhooks it creates. */
  readonly resourceId: number;
  /** Who acts: the API user, or the resource that it impersonates. */
  readonly personId: number;
  readonly role: Role;
  readonly canCreateWebhooks: boolean;
}

/** A credential as it is stored. */
export interface StoredCredential {
  readonly credentialId: number;
  readonly tenantId: number;
  readonly resourceId: number;
  readonly apiIntegrationCode: string;
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  readonly role: string;
  readonly isResourceActive: boolean;
  readonly canCreateWebhooks: boolean;
}

interface AuthenticateDeps {
  /** Finds a credential by its user name in lower case. */
  readonly findCredential: (foldedUserName: string) => Promise<StoredCredential | undefined>;
  readonly isActiveResource: (tenantId: number, resourceId: number) => Promise<boolean>;
}

export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Caller>;

/** Compared with when the user name is unknown, so that known and unknown names take the same steps. */
const NOBODY: StoredCredential = {
  credentialId: 0,
  tenantId: 0,
  resourceId: 0,
  apiIntegrationCode: '',
  secretHash: Buffer.alloc(32),
  role: 'integrator',
  isResourceActive: false,
  canCreateWebhooks: false,
};
const ROLES: ReadonlySet<string> = new Set<Role>(['integrator', 'source', 'admin']);
const MAX_RESOURCE_ID = 2 ** 31 - 1;

/**
 * Checks the headers `UserName`, `Secret` and `ApiIntegrationCode`, and `ImpersonationResourceId` where given.
 * Secrets are generated (256 bits), so one SHA-256 is enough and needs no cache; rights are read anew each time.
 * Throws a `Problem`: 401 with the same words whatever was wrong, 400 for a resource that cannot be impersonated.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (headers) => {
    const userName = text(headers['username']);
    const secret = text(headers['secret']);
    const apiIntegrationCode = text(headers['apiintegrationcode']);
    if (userName === '' || secret === '' || apiIntegrationCode === '') {
      throw Problem.unauthorized('The headers UserName, Secret and ApiIntegrationCode are needed.');
    }
    const found = await deps.findCredential(userName.toLowerCase());
    const credential = found ?? NOBODY;
    const isSecretRight = timingSafeEqual(hash('sha256', secret, 'buffer'), credential.secretHash);
    const isCodeRight = sameText(apiIntegrationCode, credential.apiIntegrationCode);
    if (found === undefined || !isSecretRight || !isCodeRight) throw Problem.unauthorized();
    if (!credential.isResourceActive) {
      throw Problem.unauthorized('The resource that these credentials belong to is not active.');
    }
    return {
      credentialId: credential.credentialId,
      tenantId: credential.tenantId,
      resourceId: credential.resourceId,
      personId: await actingPerson(credential, headers['impersonationresourceid']),
      role: roleOf(credential),
      canCreateWebhooks: credential.canCreateWebhooks,
    };
  };

  async function actingPerson(credential: StoredCredential, header: string | string[] | undefined): Promise<number> {
    const given = text(header);
    if (given === '') return credential.resourceId;
    const id = /^\d{1,10}$/.test(given) ? Number(given) : 0;
    const isKnown = id >= 1 && id <= MAX_RESOURCE_ID && (await deps.isActiveResource(credential.tenantId, id));
    if (!isKnown) {
      throw Problem.invalid(
        'ImpersonationResourceId must be the id of an active resource of this tenant.',
        'ImpersonationResourceId',
      );
    }
    return id;
  }
}

function text(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header.trim() : '';
}

/** Hashing first makes the lengths equal, so that the comparison tells nothing about the length either. */
function sameText(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

function roleOf(credential: StoredCredential): Role {
  if (ROLES.has(credential.role)) return credential.role as Role;
  throw new Error(`credential ${credential.credentialId} has the unknown role ${credential.role}`);
}
