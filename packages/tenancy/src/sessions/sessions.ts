import type { Database } from '@callout/database/connection/database';
import { credentialVersionOf, tokenHashOf } from './session-tokens.ts';

/** The identity of a session: a credential, a resource by a portal link, or the operator. */
export type ConsoleIdentity =
  | {
      readonly kind: 'user';
      readonly tenantId: number;
      readonly resourceId: number;
      readonly credentialId: number;
      readonly proof: Uint8Array;
    }
  | {
      readonly kind: 'portal';
      readonly tenantId: number;
      readonly resourceId: number;
      /** The one webhook that it is for; null: all of its resource. */
      readonly webhookKey: number | null;
    }
  | { readonly kind: 'operator'; readonly proof: Uint8Array };

/** A valid session, with the present rights of its resource and tenant. */
export interface FoundSession {
  readonly kind: 'user' | 'portal' | 'operator';
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Undefined for an operator. */
  readonly member: SessionMember | undefined;
  /** Of an operator: the digest of the token that it began with. */
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

export interface ConsoleSessionStore {
  begin(token: string, identity: ConsoleIdentity, expiresAt: Date): Promise<void>;
  /**
   * The sessions of these tokens that count at this moment. None counts that is over, whose credential was revoked,
   * deleted or has another secret, whose resource may not act, or whose tenant is being deleted or served by another
   * zone.
   */
  find(tokens: readonly string[], now: Date): Promise<Map<string, FoundSession>>;
  /** Extends a session. */
  extend(token: string, expiresAt: Date): Promise<void>;
  end(token: string): Promise<void>;
}

/** Sessions of the console: a row each. They are few and read one at a time, so Prisma handles them. */
export function createConsoleSessionStore({ prisma }: Pick<Database, 'prisma'>): ConsoleSessionStore {
  return {
    async begin(token, identity, expiresAt) {
      await prisma.consoleSession.create({
        data: { ...columnsOf(identity), tokenHash: tokenHashOf(token), expiresAt },
      });
    },

    async find(tokens, now) {
      const byHash = new Map(tokens.map((token) => [hex(tokenHashOf(token)), token]));
      const rows = await prisma.consoleSession.findMany({
        where: { tokenHash: { in: tokens.map(tokenHashOf) }, expiresAt: { gt: now } },
        select,
      });
      const found = new Map<string, FoundSession>();
      for (const row of rows) {
        const token = byHash.get(hex(row.tokenHash));
        const session = sessionOf(row);
        if (token !== undefined && session !== undefined) found.set(token, session);
      }
      return found;
    },

    async extend(token, expiresAt) {
      await prisma.consoleSession.updateMany({
        where: { tokenHash: tokenHashOf(token), expiresAt: { lt: expiresAt } },
        data: { expiresAt },
      });
    },

    async end(token) {
      await prisma.consoleSession.deleteMany({ where: { tokenHash: tokenHashOf(token) } });
    },
  };
}

/** The columns of sessions and links with their identity. */
export function columnsOf(identity: ConsoleIdentity) {
  if (identity.kind === 'operator') return { kind: identity.kind, proof: Uint8Array.from(identity.proof) };
  const { tenantId, resourceId } = identity;
  if (identity.kind === 'portal') return { kind: identity.kind, tenantId, resourceId, webhookKey: identity.webhookKey };
  const { kind, credentialId, proof } = identity;
  return { kind, tenantId, resourceId, credentialId, proof: Uint8Array.from(proof) };
}

const select = {
  tokenHash: true,
  kind: true,
  proof: true,
  webhookKey: true,
  createdAt: true,
  expiresAt: true,
  resource: {
    select: {
      id: true,
      email: true,
      isActive: true,
      canCreateWebhooks: true,
      deletedAt: true,
      tenant: { select: { id: true, name: true, apiRequestsPerHour: true, deletingAt: true, moveState: true } },
    },
  },
  credential: {
    select: { id: true, userName: true, role: true, secretHash: true, apiIntegrationCode: true, revokedAt: true },
  },
} as const;

interface SessionRow {
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
      readonly moveState: string | null;
    };
  } | null;
  readonly credential: {
    readonly id: number;
    readonly userName: string;
    readonly role: string;
    readonly secretHash: Uint8Array;
    readonly apiIntegrationCode: string;
    readonly revokedAt: Date | null;
  } | null;
}

/** Undefined when it counts no more. */
function sessionOf(row: SessionRow): FoundSession | undefined {
  const kind = row.kind as FoundSession['kind'];
  const { createdAt, expiresAt, proof, resource, credential } = row;
  if (kind === 'operator') return { kind, createdAt, expiresAt, proof, member: undefined };
  if (resource === null || !resource.isActive || resource.deletedAt !== null || resource.tenant.deletingAt !== null) {
    return undefined;
  }
  if (resource.tenant.moveState === 'left' || resource.tenant.moveState === 'arriving') return undefined;
  if (kind === 'user') {
    const isSame = credential !== null && proof !== null && hex(credentialVersionOf(credential)) === hex(proof);
    if (!isSame || credential.revokedAt !== null) return undefined;
  }
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
      isMoving: tenant.moveState !== null,
      credential: credential ?? undefined,
      webhookKey: row.webhookKey === null ? null : Number(row.webhookKey),
    },
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
