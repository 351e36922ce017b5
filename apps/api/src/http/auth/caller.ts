import type { SignInProof } from '@callout/core/ingest';
import { type CredentialRole, credentialRoles } from '@callout/core/tenants';
import type { StoredCredential } from './secret/check-credential.ts';

/** What a credential is for: `integrator` webhooks and reads, `source` records and events, `admin` everything. */
export type Role = CredentialRole;

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
  /** The tenant's own limit of requests per hour; null is the installation's default, 0 none. */
  readonly apiRequestsPerHour: number | null;
  /** Its tenant is being moved to another zone: it may read, and has to send changes again. */
  readonly isMoving?: true;
  /** What its credential was found by, for a commit that confirms it; absent where none was given. */
  readonly proof?: SignInProof;
  /** Let in by the cookie of the console, in place of a credential. */
  readonly isSession?: true;
  /** Of a session of the console that a portal link began: it has the webhooks of its resource, and nothing else. */
  readonly portal?: {
    /** The one webhook that the link was made for; null: all of its resource. */
    readonly webhookKey: number | null;
  };
}

/** Who calls with a credential, acting for itself. */
export function callerOf(credential: StoredCredential): Caller {
  return {
    credentialId: credential.credentialId,
    tenantId: credential.tenantId,
    resourceId: credential.resourceId,
    personId: credential.resourceId,
    role: roleOf(credential),
    canCreateWebhooks: credential.canCreateWebhooks,
    apiRequestsPerHour: credential.apiRequestsPerHour,
    ...(credential.moveState !== null && { isMoving: true }),
  };
}

/** The role of a credential. Throws an Error for one that is not known. */
export function roleOf({ credentialId, role }: Pick<StoredCredential, 'credentialId' | 'role'>): Role {
  const known = credentialRoles.find((one) => one === role);
  if (known === undefined) throw new Error(`credential ${credentialId} has the unknown role ${role}`);
  return known;
}
