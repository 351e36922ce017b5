import { Problem } from '@callout/domain/problem';
import type { Caller, Role } from './caller.ts';

/** Throws a 403 Problem when a caller has none of the roles of one method of a path. */
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
