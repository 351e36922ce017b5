import { randomBytes } from 'node:crypto';
import { checkServer, openDatabase } from '@callout/database/connection/database';
import { findSessions } from '@callout/database/connection/find-sessions';
import { type DatabaseContent, describeDatabase } from '@callout/database/schema/database-content';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createTenantStore, type IssuedCredential, type TenantStore } from '@callout/tenancy/tenants';
import { CannotGoOn, reasonOf, whereIs } from '../cannot-go-on.ts';
import { ROLES, type Credentials, type CredentialsFile, type Role } from './credentials-file.ts';

export interface DemoTenant {
  readonly tenantId: number;
  readonly credentials: Credentials;
  /** For webhooks of the demo; the demo receiver knows it. */
  readonly webhookSecret: string;
}

interface DemoTenantOptions {
  readonly databaseUrl: string;
  /** A database that `npm start` created for itself. */
  readonly isOurs: boolean;
  /** Where the credentials for this database are kept. */
  readonly file: CredentialsFile;
}

/**
 * Brings the database up to date and ensures that there is a demo tenant whose credentials work. In a database of the
 * user's, nothing is changed unless there are no tenants, or the demo tenant was made here.
 * @throws CannotGoOn when the database cannot be used, or contains foreign data.
 */
export async function provideDemoTenant({ databaseUrl, isOurs, file }: DemoTenantOptions): Promise<DemoTenant> {
  await using(databaseUrl, () => findSessions(databaseUrl));
  const database = openDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'callout-start',
    // The next statement on the connection reports it.
    onError: () => undefined,
  });
  try {
    const content = await using(databaseUrl, async () => {
      await checkServer(database.pool);
      return describeDatabase(database.pool);
    });
    const tenants = createTenantStore(database);
    const stored = await file.read();
    if (!isOurs) {
      const isKnown = stored !== undefined && content.kind === 'callout' && (await tenants.findByName(stored.tenant));
      if (!isKnown) mustBeVacant(content, whereIs(databaseUrl));
    }
    await applyMigrations(databaseUrl);
    const plan = stored ?? {
      // In a database of others the random name proves that the tenant is ours.
      tenant: isOurs ? 'demo' : `demo-${randomBytes(8).toString('hex')}`,
      webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    };
    // Before the tenant: a start that was cut short recognises the tenant.
    if (!stored) await file.write(plan);
    const tenantId = (await tenants.findByName(plan.tenant)) ?? (await tenants.create({ name: plan.tenant }));
    if (stored?.credentials && (await areUsable(tenants, tenantId, stored.credentials))) {
      return { tenantId, webhookSecret: stored.webhookSecret, credentials: stored.credentials };
    }
    const credentials = await issueAll(tenants, tenantId, plan.tenant);
    await file.write({ ...plan, credentials });
    return { tenantId, webhookSecret: plan.webhookSecret, credentials };
  } finally {
    await database.close();
  }
}

async function using<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CannotGoOn(`DATABASE_URL: cannot use ${whereIs(databaseUrl)}: ${reasonOf(cause)}`, { cause });
  }
}

function mustBeVacant(content: DatabaseContent, where: string): void {
  if (content.kind === 'foreign') {
    const tables = content.tables.slice(0, 3).join(', ');
    throw new CannotGoOn(
      `DATABASE_URL: ${where} holds tables of another program (${tables}). Give Callout a database of its own.`,
    );
  }
  if (content.kind === 'callout' && content.tenants > 0) {
    const tenants = content.tenants === 1 ? 'a tenant that was' : `${content.tenants} tenants that were`;
    throw new CannotGoOn(
      `DATABASE_URL: ${where} has ${tenants} not made from this data directory. npm start makes a demo tenant, and does so only in a database without tenants. Use another database; without DATABASE_URL it starts one of its own.`,
    );
  }
}

async function areUsable(tenants: TenantStore, tenantId: number, credentials: Credentials): Promise<boolean> {
  const usable = await Promise.all(ROLES.map((role) => tenants.isUsable(tenantId, role, credentials[role])));
  return !usable.includes(false);
}

async function issueAll(tenants: TenantStore, tenantId: number, tenant: string): Promise<Credentials> {
  const issue = async (role: Role): Promise<IssuedCredential> => {
    const userName = `${role}@${tenant}`;
    const reissued = await tenants.reissueCredential(tenantId, userName);
    if (reissued) return reissued;
    const resource = { tenantId, email: `${role}@demo.example`, canCreateWebhooks: role !== 'source' };
    return tenants.createCredential({ tenantId, userName, role, resourceId: await tenants.createResource(resource) });
  };
  // In turn: resource 1 is the integrator, 2 the source and 3 the admin, every time.
  return { integrator: await issue('integrator'), source: await issue('source'), admin: await issue('admin') };
}
