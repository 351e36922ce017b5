import type { Database } from '@callout/database/connection/database';
import { createCalloutAdministration } from './callout-administration.ts';
import { createCredentialAdministration } from './credential-administration.ts';
import { createLockoutAdministration } from './lockout-administration.ts';
import { createResourceAdministration } from './resource-administration.ts';
import { createTenantAdministration } from './tenant-administration.ts';
import { createZoneAdministration } from './zone-administration.ts';

/** All that an operator sets up, behind the operator API; the command line makes the first tenant with it. */
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
