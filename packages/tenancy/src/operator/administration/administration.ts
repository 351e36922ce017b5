import type { Database } from '@callout/database/connection/database';
import { createCredentialAdministration, type CredentialAdministration } from './credential-administration.ts';
import { createLockoutAdministration, type LockoutAdministration } from './lockout-administration.ts';
import { createResourceAdministration, type ResourceAdministration } from './resource-administration.ts';
import { createTenantAdministration, type TenantAdministration } from './tenant-administration.ts';
import { createWebhookAdministration, type WebhookAdministration } from './webhook-administration.ts';
import { createZoneAdministration, type ZoneAdministration } from './zone-administration.ts';

/** All that an operator sets up, behind the operator API; the command line makes the first tenant with it. */
export interface Administration {
  readonly zones: ZoneAdministration;
  readonly tenants: TenantAdministration;
  readonly resources: ResourceAdministration;
  readonly credentials: CredentialAdministration;
  readonly lockouts: LockoutAdministration;
  readonly webhooks: WebhookAdministration;
}

export function createAdministration(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>): Administration {
  return {
    zones: createZoneAdministration(database),
    tenants: createTenantAdministration(database),
    resources: createResourceAdministration(database),
    credentials: createCredentialAdministration(database),
    lockouts: createLockoutAdministration(database),
    webhooks: createWebhookAdministration(database),
  };
}
