import { Problem } from '@callout/domain/problem';
import type { Caller, Role } from './caller.ts';
import { credentialRoles as everyone } from '@callout/tenancy/input/credential-input.rules';

/** Which roles may read and which may write a kind of collection. */
interface Rights {
  readonly read: readonly Role[];
  readonly write: readonly Role[];
}

/**
 * The rights of roles: `integrator` is for webhooks and reads, `source` writes records and events, `admin` does
 * everything within the tenant. Endpoints check the rights, and metadata shows them.
 */
export const rights = {
  records: { read: everyone, write: ['source', 'admin'] },
  webhooks: { read: ['integrator', 'admin'], write: ['integrator', 'admin'] },
  /** Within the roles the owner of a webhook and an admin only. */
  errorLogs: { read: ['integrator', 'admin'], write: ['integrator', 'admin'] },
  resources: { read: everyone, write: ['admin'] },
  userDefinedFieldDefinitions: { read: ['admin'], write: ['admin'] },
  changes: { read: ['admin'], write: [] },
  metadata: { read: everyone, write: [] },
} as const satisfies Readonly<Record<string, Rights>>;

/** Throws a 403 Problem when a caller has no role of a method of a path. */
export function refuseOtherRoles(
  { roles }: { readonly roles: readonly Role[] },
  { role }: Caller,
  method: string,
  path: string,
): void {
  if (roles.includes(role)) return;
  throw Problem.forbidden(
    `A credential with the role ${role} may not ${method} ${documented(path)}. ` +
      `It needs the role ${roles.join(' or ')}; GET /docs/api explains the roles.`,
  );
}

/** A path as documents write it: `/Companies/{id}`. */
export function documented(path: string): string {
  return path.replaceAll(/:(\w+)/gu, '{$1}');
}
