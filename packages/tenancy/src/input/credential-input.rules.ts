import { roleMeanings } from '@callout/domain/operations/access-operations';
import { z } from 'zod';
import { operatorInput, readOperatorInput, smallIdInput } from './operator-input.rules.ts';

export type CredentialRole = keyof typeof roleMeanings;
/** The purposes of a credential. */
export const credentialRoles = Object.keys(roleMeanings) as CredentialRole[];

/** A credential to be made. Secret and code are generated unless they were chosen elsewhere. */
export interface CredentialCreate {
  readonly resourceId: number;
  /** Unique in the installation, ignoring case. */
  readonly userName: string;
  readonly role: CredentialRole;
  readonly secret?: string;
  readonly apiIntegrationCode?: string;
}

/** The keys of a credential that may change. */
export interface CredentialChanges {
  readonly role?: CredentialRole;
}

/** A value for a header without changes: blanks at the ends would be lost. */
function headerValue(least: number, most: number): z.ZodString {
  const error = `must be ${least} to ${most} visible ASCII characters; blanks may be between them`;
  return z
    .string('must be a string')
    .refine((text) => text.length >= least && text.length <= most && /^[\x20-\x7e]*$/u.test(text), {
      error,
      abort: true,
    })
    .refine((text) => text.trim() === text, error);
}

const roleInput = z.enum(credentialRoles, { error: `must be one of ${credentialRoles.join(', ')}` });

const input = operatorInput({
  resourceID: smallIdInput,
  // It travels as a header.
  userName: z.string('must be a string').regex(/^[\x21-\x7e]{1,254}$/u, {
    error: 'must be 1 to 254 visible ASCII characters without blanks, such as crm@example.com',
  }),
  // Secrets of existing clients are imported as they are; below 8 characters even a lockout is no protection.
  secret: headerValue(8, 200),
  apiIntegrationCode: headerValue(1, 200),
  role: roleInput,
});

const changes = operatorInput({ role: roleInput });

export function parseCredentialCreate(body: unknown): CredentialCreate {
  const { resourceID, ...credential } = readOperatorInput(body, input, ['resourceID', 'userName', 'role']);
  return { resourceId: resourceID, ...credential };
}

export function parseCredentialChanges(body: unknown): CredentialChanges {
  const { role } = readOperatorInput(body, changes);
  return role === undefined ? {} : { role };
}
