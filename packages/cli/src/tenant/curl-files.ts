import type { IssuedCredential } from '@callout/tenancy/tenants';
import type { DataDirectory } from '../data-directory.ts';
import { ROLES, type Credentials, type Role } from './credentials-file.ts';

export type CurlFiles = Readonly<Record<Role, string>>;

/**
 * Writes files for `curl --config`: the three headers of each credential. Secrets on a command line would be visible to
 * all users of this machine, and stay in the history of the shell.
 * @returns the paths.
 */
export async function writeCurlFiles(
  directory: Pick<DataDirectory, 'write' | 'file'>,
  credentials: Credentials,
): Promise<CurlFiles> {
  const name = (role: Role) => `curl-${role}`;
  for (const role of ROLES) await directory.write(name(role), curlConfig(credentials[role]));
  return {
    integrator: directory.file(name('integrator')),
    source: directory.file(name('source')),
    admin: directory.file(name('admin')),
  };
}

function curlConfig({ userName, secret, apiIntegrationCode }: IssuedCredential): string {
  return `silent
show-error
write-out = "\\n"
header = "Content-Type: application/json"
header = "UserName: ${userName}"
header = "Secret: ${secret}"
header = "ApiIntegrationCode: ${apiIntegrationCode}"
`;
}

/** A word of a command line, quoted for every POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
