import { Problem } from '@callout/domain/problem';
import type { Database } from '@callout/database/connection/database';
import type { ConsoleLink } from '@callout/database/generated/client';
import type { WebhookOfLink } from '../input/link-input.rules.ts';
import { mayUseConsole } from './session.rules.ts';
import { credentialVersionOf, tokenHashOf } from './session-tokens.ts';
import { columnsOf, type ConsoleIdentity } from './sessions.ts';

export type ConsoleLinkStore = ReturnType<typeof createConsoleLinkStore>;

/** Links that begin a session of the console. */
export function createConsoleLinkStore({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>) {
  async function mustStay(tenantId: number): Promise<void> {
    const tenant = await prisma.tenant.findUnique({ where: { id: tenantId }, select: { deletingAt: true } });
    if (tenant === null) throw Problem.notFound(`No matching records found: there is no tenant ${tenantId}`);
    if (tenant.deletingAt !== null) throw Problem.conflict(`Tenant ${tenantId} is being deleted`);
  }

  return {
    /** Keeps a link until the link is used or expires. */
    async create(token: string, identity: ConsoleIdentity, expiresAt: Date): Promise<void> {
      const data = { ...columnsOf(identity), tokenHash: tokenHashOf(token), expiresAt };
      await transaction(null, ({ models }) => models.consoleLink.create({ data }));
    },

    /** Uses up a link. Undefined when the link does not exist, has expired, or was used by another request. */
    async take(
      token: string,
      kinds: readonly ConsoleIdentity['kind'][],
      now: Date,
    ): Promise<ConsoleIdentity | undefined> {
      const tokenHash = tokenHashOf(token);
      const row = await prisma.consoleLink.findUnique({ where: { tokenHash } });
      if (row === null || !kinds.some((kind) => kind === row.kind)) return undefined;
      // Of two requests that found the row, only one deletes the row.
      const where = { tokenHash, expiresAt: { gt: now } };
      const { count } = await transaction(null, ({ models }) => models.consoleLink.deleteMany({ where }));
      return count === 1 ? identityOf(row) : undefined;
    },

    /**
     * The identity of a portal link.
     * @param webhook restricts the link to one webhook of the resource.
     * @throws a Problem: `notFound` without the tenant, `invalid` without an active resource, or without a webhook of
     * the resource.
     */
    async portalIdentity(
      tenantId: number,
      resourceId: number,
      webhook: WebhookOfLink | undefined,
    ): Promise<ConsoleIdentity> {
      await mustStay(tenantId);
      const resource = await prisma.resource.findUnique({
        where: { tenantId_id: { tenantId, id: resourceId }, isActive: true, deletedAt: null },
        select: { id: true },
      });
      if (resource === null) {
        const message = `resourceID ${resourceId} is no active resource of tenant ${tenantId}`;
        throw Problem.unknownReference(message, 'resourceID');
      }
      if (webhook === undefined) return { kind: 'portal', tenantId, resourceId, webhookKey: null };
      const row = await prisma.webhook.findFirst({
        where: { tenantId, ...webhook, deletedAt: null, ownerResourceId: resourceId },
        select: { key: true },
      });
      if (row === null) {
        const [field, named] =
          'guid' in webhook
            ? ['webhookGUID', `webhookGUID ${webhook.guid} is no webhook of resource ${resourceId}`]
            : ['webhookID', `webhookID ${webhook.id} is no webhook of resource ${resourceId} on ${webhook.entityType}`];
        throw Problem.unknownReference(named, field);
      }
      return { kind: 'portal', tenantId, resourceId, webhookKey: Number(row.key) };
    },

    /** The identity of a credential, by its user name. Throws a Problem as `portalIdentity` does. */
    async userIdentity(tenantId: number, userName: string): Promise<ConsoleIdentity> {
      await mustStay(tenantId);
      const credential = await prisma.credential.findUnique({
        where: { userNameFolded: userName.toLowerCase(), tenantId, revokedAt: null },
        select: { id: true, resourceId: true, role: true, secretHash: true, apiIntegrationCode: true },
      });
      if (credential === null || !mayUseConsole(credential.role)) {
        const message = `userName ${userName} is that of no credential of tenant ${tenantId} with the role integrator or admin`;
        throw Problem.unknownReference(message, 'userName');
      }
      const { id: credentialId, resourceId } = credential;
      return { kind: 'user', tenantId, resourceId, credentialId, proof: credentialVersionOf(credential) };
    },
  };
}

/** As `columnsOf` wrote it. */
function identityOf(row: ConsoleLink): ConsoleIdentity | undefined {
  const { kind, tenantId, resourceId, credentialId, proof } = row;
  if (kind === 'operator' && proof !== null) return { kind, proof };
  if (tenantId === null || resourceId === null) return undefined;
  if (kind === 'portal') {
    return { kind, tenantId, resourceId, webhookKey: row.webhookKey === null ? null : Number(row.webhookKey) };
  }
  if (kind !== 'user' || credentialId === null || proof === null) return undefined;
  return { kind, tenantId, resourceId, credentialId, proof };
}
