import { byOperator, byResource, type Actor } from '@callout/domain/changes/actor';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import type { CachedAuthentication } from '@callout/pipeline/ingest/request.rules';
import { type CredentialRole, credentialRoles } from '@callout/tenancy/input/credential-input.rules';
import type { StoredCredential } from './check-credential.ts';

/**
 * The purpose of a credential: `integrator` for webhooks and reads, `source` for records and events, `admin` for
 * everything.
 */
export type Role = CredentialRole;

/** The caller of a request, the acting person, and their rights. */
export interface Caller {
  readonly credentialId: number;
  readonly tenantId: number;
  /** The API user: owner of the webhooks that the caller creates. */
  readonly resourceId: number;
  /** The acting person: the API user, or the impersonated resource. */
  readonly personId: number;
  readonly role: Role;
  readonly canCreateWebhooks: boolean;
  /** The tenant's limit of requests per hour; null: the installation's default; 0: no limit. */
  readonly apiRequestsPerHour: number | null;
  /** The tenant is being moved to another zone: the caller may read, and has to send changes again. */
  readonly isMoving?: true;
  /** The version of the credential, for a commit that confirms the authentication; absent without a credential. */
  readonly proof?: CachedAuthentication;
  /** Let in by the cookie of the console, in place of a credential. */
  readonly isSession?: true;
  /** Of a console session from a portal link: the session has the webhooks of a resource, and nothing else. */
  readonly portal?: {
    /** The only webhook of the link; null: all webhooks of the resource. */
    readonly webhookKey: number | null;
  };
}

/** The caller with a credential and without impersonation. */
export function callerOf(credential: StoredCredential): Caller {
  return {
    credentialId: credential.credentialId,
    tenantId: credential.tenantId,
    resourceId: credential.resourceId,
    personId: credential.resourceId,
    role: roleOf(credential),
    canCreateWebhooks: credential.canCreateWebhooks,
    apiRequestsPerHour: credential.apiRequestsPerHour,
    ...(credential.tenantState !== 'active' && { isMoving: true }),
  };
}

/** Who changes configuration with a request of the caller. Operators act in the name of no resource. */
export function actorOf({ personId, credentialId, portal }: Caller): Actor {
  if (portal !== undefined) return { kind: 'portal', resourceId: personId, credentialId: null };
  return personId === 0 ? byOperator : byResource(personId, credentialId);
}

/** Throws a 503 Problem for a change of a tenant that is being moved; reads go on. */
export function refuseWhileMoving({ isMoving }: Pick<Caller, 'isMoving'>, isReading: boolean): void {
  if (isMoving === true && !isReading) throw tenantIsMoving();
}

/** The role of a credential. Throws an Error for an unknown role. */
export function roleOf({ credentialId, role }: Pick<StoredCredential, 'credentialId' | 'role'>): Role {
  const credentialRole = credentialRoles.find((one) => one === role);
  if (credentialRole === undefined) throw new Error(`credential ${credentialId} has the unknown role ${role}`);
  return credentialRole;
}
