/** A valid session, with the present rights of its resource and tenant. */
export interface FoundSession {
  readonly kind: 'user' | 'portal' | 'operator';
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Undefined for an operator. */
  readonly member: SessionMember | undefined;
  /** Of an operator: the digest of the token at the beginning. */
  readonly proof: Uint8Array | null;
}

/** The tenant's resource or credential that a session belongs to. */
export interface SessionMember {
  readonly tenantId: number;
  readonly tenantName: string;
  readonly resourceId: number;
  readonly email: string;
  readonly canCreateWebhooks: boolean;
  readonly apiRequestsPerHour: number | null;
  /** Its tenant is being moved to another zone, and may only be read. */
  readonly isMoving: boolean;
  /** Of the credential; undefined for a portal. */
  readonly credential: { readonly id: number; readonly userName: string; readonly role: string } | undefined;
  readonly webhookKey: number | null;
}

/** Whether a credential with this role may begin a session: `source` only writes records, and sees no webhooks. */
export function mayUseConsole(role: string): boolean {
  return role !== 'source';
}

/** A session with the present resource, tenant and credential. */
export interface SessionRow {
  readonly kind: string;
  readonly proof: Uint8Array | null;
  readonly webhookKey: bigint | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly resource: {
    readonly id: number;
    readonly email: string;
    readonly isActive: boolean;
    readonly canCreateWebhooks: boolean;
    readonly deletedAt: Date | null;
    readonly tenant: {
      readonly id: number;
      readonly name: string;
      readonly apiRequestsPerHour: number | null;
      readonly deletingAt: Date | null;
      readonly state: string;
    };
  } | null;
  readonly credential: {
    readonly id: number;
    readonly userName: string;
    readonly role: string;
    readonly revokedAt: Date | null;
  } | null;
}

/**
 * A session before its end, if the session still counts.
 * @param isProven whether the credential has the same secret and code as at the beginning of the session.
 */
export function sessionOf(row: SessionRow, isProven: boolean): FoundSession | undefined {
  const kind = row.kind as FoundSession['kind'];
  const { createdAt, expiresAt, proof, resource, credential } = row;
  if (kind === 'operator') return { kind, createdAt, expiresAt, proof, member: undefined };
  if (resource === null || !resource.isActive || resource.deletedAt !== null || resource.tenant.deletingAt !== null) {
    return undefined;
  }
  if (resource.tenant.state === 'left' || resource.tenant.state === 'arriving') return undefined;
  if (kind === 'user' && (!isProven || credential?.revokedAt !== null)) return undefined;
  const { tenant } = resource;
  return {
    kind,
    createdAt,
    expiresAt,
    proof: null,
    member: {
      tenantId: tenant.id,
      tenantName: tenant.name,
      resourceId: resource.id,
      email: resource.email,
      canCreateWebhooks: resource.canCreateWebhooks,
      apiRequestsPerHour: tenant.apiRequestsPerHour,
      isMoving: tenant.state !== 'active',
      credential: credential ?? undefined,
      webhookKey: row.webhookKey === null ? null : Number(row.webhookKey),
    },
  };
}
