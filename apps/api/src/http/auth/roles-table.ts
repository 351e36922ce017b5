import { credentialRoles as roles } from '@callout/core/tenants';
import type { Role } from './caller.ts';
import { rights } from './rights.ts';

/** What a kind of collection is called where roles are explained. */
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

/** Who may do what, as a table in Markdown, made from the rights that the endpoints go by. */
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
