import { createHash } from 'node:crypto';
import type { IssuedCredential } from '@callout/tenancy/tenants';
import type { DataDirectory } from '../data-directory.ts';
import { whereIs } from '../cannot-go-on.ts';

export const ROLES = ['integrator', 'source', 'admin'] as const;
export type Role = (typeof ROLES)[number];
export type Credentials = Readonly<Record<Role, IssuedCredential>>;

/** The stored data of the demo tenant of one database. */
export interface KnownTenant {
  readonly tenant: string;
  readonly webhookSecret: string;
  /** Missing when a start was cut short before they were issued. */
  readonly credentials?: Credentials;
}

export interface CredentialsFile {
  /** Undefined for a missing or damaged file: then new credentials are issued. */
  read(): Promise<KnownTenant | undefined>;
  write(tenant: KnownTenant): Promise<void>;
}

/** @param databaseUrl of the user's database; each has a file of its own. Undefined is our own. */
export function credentialsFile(
  directory: Pick<DataDirectory, 'read' | 'write'>,
  databaseUrl: string | undefined,
): CredentialsFile {
  const name = databaseUrl === undefined ? 'credentials.json' : `credentials-${fingerprint(databaseUrl)}.json`;
  return {
    async read() {
      const text = await directory.read(name);
      return text === undefined ? undefined : parse(text);
    },
    write: (tenant) => directory.write(name, `${JSON.stringify(tenant, undefined, 2)}\n`),
  };
}

/** Identifies a database, independent of user and password. */
function fingerprint(databaseUrl: string): string {
  return createHash('sha256').update(whereIs(databaseUrl)).digest('hex').slice(0, 12);
}

function parse(text: string): KnownTenant | undefined {
  try {
    const { tenant, webhookSecret, credentials } = JSON.parse(text) as Partial<KnownTenant>;
    if (!tenant || !webhookSecret) return undefined;
    return { tenant, webhookSecret, ...(isComplete(credentials) ? { credentials } : {}) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function isComplete(credentials: Partial<Credentials> | undefined): credentials is Credentials {
  return ROLES.every((role) => {
    const { userName, secret, apiIntegrationCode } = credentials?.[role] ?? {};
    return [userName, secret, apiIntegrationCode].every((text) => typeof text === 'string' && text !== '');
  });
}
