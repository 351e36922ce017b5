import { credentialRoles as roles } from '@callout/tenancy/input/credential-input.rules';
import type { Role } from './caller.ts';
import { rights } from './rights.ts';

/** The name of a kind of collection in the documentation of roles. */
const subjects: readonly (readonly [string, { readonly read: readonly Role[]; readonly write: readonly Role[] }])[] = [
  ['Webhooks and their fields', rights.webhooks],
  ['Deliveries, explanations, statistics', rights.webhooks],
  ['Error logs', rights.errorLogs],
  ['Records', rights.records],
  ['Events', rights.records],
  ['Resources', rights.resources],
  ['Definitions of user-defined fields', rights.userDefinedFieldDefinitions],
  ['Metadata, limits', rights.metadata],
];

/** The rights of roles as a table in Markdown, made from the rights that the endpoints check. */
export function rolesTable(): string {
  const rows = subjects.map(([subject, { read, write }]) => [
    subject,
    ...roles.map((role) => access(read.includes(role), write.includes(role))),
  ]);
  const lines = [['May', ...roles.map((role) => `\`${role}\``)], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function access(reads: boolean, writes: boolean): string {
  if (writes) return reads ? 'read, write' : 'write';
  return reads ? 'read' : '–';
}
