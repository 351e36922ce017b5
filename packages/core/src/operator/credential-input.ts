import { z } from 'zod';
import { operatorInput, readOperatorInput, smallIdInput } from './operator-input.ts';

/** What a credential is for: `integrator` webhooks and reads, `source` records and events, `admin` everything. */
export const credentialRoles = ['integrator', 'source', 'admin'] as const;
export type CredentialRole = (typeof credentialRoles)[number];

/** A credential to be made. Its secret is generated. */
export interface CredentialCreate {
  readonly resourceId: number;
  /** Unique in the installation, ignoring case. */
  readonly userName: string;
  readonly role: CredentialRole;
}

const input = operatorInput({
  resourceID: smallIdInput,
  // It travels as a header.
  userName: z.string('must be a string').regex(/^[\x21-\x7e]{1,254}$/u, {
    error: 'must be 1 to 254 visible ASCII characters without blanks, such as crm@example.com',
  }),
  role: z.enum(credentialRoles, { error: `must be one of ${credentialRoles.join(', ')}` }),
});

export function parseCredentialCreate(body: unknown): CredentialCreate {
  const { resourceID, userName, role } = readOperatorInput(body, input, ['resourceID', 'userName', 'role']);
  return { resourceId: resourceID, userName, role };
}
