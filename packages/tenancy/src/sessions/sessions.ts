import type { Database } from '@callout/database/connection/database';
import { sessionOf, type FoundSession } from './session.rules.ts';
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
      /** The only webhook of the session; null: all webhooks of the resource. */
      readonly webhookKey: number | null;
    }
  | { readonly kind: 'operator'; readonly proof: Uint8Array };

/** Signing in does not count towards the requests of a tenant, so a credential could have any number of sessions. */
const mostOfCredential = 100;

/** Sessions of the console: a row each. Sessions are few and read one at a time, so Prisma handles them. */
export function createConsoleSessionStore({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>) {
  return {
    /** Begins a session. Of a credential with more than a hundred, the oldest end. */
    begin: (token: string, identity: ConsoleIdentity, expiresAt: Date): Promise<void> =>
      transaction(null, async ({ models }) => {
        await models.consoleSession.create({
          data: { ...columnsOf(identity), tokenHash: tokenHashOf(token), expiresAt },
        });
        if (identity.kind !== 'user') return;
        const { credentialId } = identity;
        const tooOld = await models.consoleSession.findMany({
          where: { credentialId },
          select: { tokenHash: true },
          orderBy: { createdAt: 'desc' },
          skip: mostOfCredential,
        });
        if (tooOld.length === 0) return;
        const tokenHash = { in: tooOld.map((session) => session.tokenHash) };
        await models.consoleSession.deleteMany({ where: { tokenHash } });
      }),

    /**
     * The sessions, by token, that count at a moment. Sessions do not count after their end, when the credential was
     * revoked, deleted or has another secret, when the resource may not act, or when the tenant is being deleted or
     * served by another zone.
     */
    async find(tokens: readonly string[], now: Date): Promise<Map<string, FoundSession>> {
      const byHash = new Map(tokens.map((token) => [hex(tokenHashOf(token)), token]));
      const rows = await prisma.consoleSession.findMany({
        where: { tokenHash: { in: tokens.map(tokenHashOf) }, expiresAt: { gt: now } },
        select,
      });
      const sessions = new Map<string, FoundSession>();
      for (const row of rows) {
        const token = byHash.get(hex(row.tokenHash));
        const { credential, proof } = row;
        const isProven = credential !== null && proof !== null && hex(credentialVersionOf(credential)) === hex(proof);
        const session = sessionOf(row, isProven);
        if (token !== undefined && session !== undefined) sessions.set(token, session);
      }
      return sessions;
    },

    async extend(token: string, expiresAt: Date): Promise<void> {
      const where = { tokenHash: tokenHashOf(token), expiresAt: { lt: expiresAt } };
      await transaction(null, ({ models }) => models.consoleSession.updateMany({ where, data: { expiresAt } }));
    },

    async end(token: string): Promise<void> {
      const where = { tokenHash: tokenHashOf(token) };
      await transaction(null, ({ models }) => models.consoleSession.deleteMany({ where }));
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
      tenant: { select: { id: true, name: true, apiRequestsPerHour: true, deletingAt: true, state: true } },
    },
  },
  credential: {
    select: { id: true, userName: true, role: true, secretHash: true, apiIntegrationCode: true, revokedAt: true },
  },
} as const;

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
