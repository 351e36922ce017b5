import { credentialRoles as everyone } from '@callout/tenancy/input/credential-input.rules';
import type { Role } from './caller.ts';

/** Which roles may read and which may write a kind of collection. */
interface Rights {
  readonly read: readonly Role[];
  readonly write: readonly Role[];
}

/**
 * The rights of roles: `integrator` is for webhooks and reads, `source` writes records and events, `admin` does
 * everything within its tenant. Endpoints check them, and metadata shows them.
 */
export const rights = {
  records: { read: everyone, write: ['source', 'admin'] },
  webhooks: { read: ['integrator', 'admin'], write: ['integrator', 'admin'] },
  /** Within these roles the owner of a webhook and an admin only. */
  errorLogs: { read: ['integrator', 'admin'], write: ['integrator', 'admin'] },
  resources: { read: everyone, write: ['admin'] },
  userDefinedFieldDefinitions: { read: ['admin'], write: ['admin'] },
  metadata: { read: everyone, write: [] },
} as const satisfies Readonly<Record<string, Rights>>;
