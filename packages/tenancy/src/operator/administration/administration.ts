import { Problem } from '@callout/domain/problem';
import type { Database } from '@callout/database/connection/database';
import { idOf } from '@callout/database/schema/ids';
import { createCredentialAdministration } from './credential-administration.ts';
import { createLockoutAdministration } from './lockout-administration.ts';
import { createResourceAdministration } from './resource-administration.ts';
import { createTenantAdministration } from './tenant-administration.ts';
import { createZoneAdministration } from './zone-administration.ts';

/** Everything that an operator sets up, behind the operator API; the command line makes the first tenant here, too. */
export type Administration = ReturnType<typeof createAdministration>;

export function createAdministration(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>) {
  return {
    zones: createZoneAdministration(database),
    tenants: createTenantAdministration(database),
    resources: createResourceAdministration(database),
    credentials: createCredentialAdministration(database),
    lockouts: createLockoutAdministration(database),
    callouts: createCalloutAdministration(database),
  };
}

/** Callouts, as operators see them. */
export function createCalloutAdministration({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** The tenant and the webhook of a callout, deleted or not. Throws a Problem `notFound`. */
    async find(calloutId: string) {
      const id = idOf(calloutId);
      const callout = id && (await prisma.callout.findUnique({ where: { id }, select: { webhookKey: true } }));
      const webhook = callout && (await prisma.webhook.findUnique({ where: { key: callout.webhookKey } }));
      if (webhook) return { tenantID: webhook.tenantId, entityType: webhook.entityType, webhookID: webhook.id };
      throw Problem.notFound(`No matching records found: there is no callout ${calloutId}`);
    },
  };
}
