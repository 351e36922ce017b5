import type { ConfigurationValues } from '@callout/domain/changes/field-changes';
import { publicKeyText } from '@callout/domain/secrets/signing-key';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** A public key of a tenant. */
export interface PublicSigningKey {
  /** 32 bytes. */
  publicKey: Buffer;
  createdAt: Date;
}

/** The public keys of a tenant. */
export interface TenantSigningKeys {
  /** Public, and in the address of the JWKS. */
  id: string;
  current: PublicSigningKey;
  /** The one before a rotation, while both sign; null: none. */
  previous: (PublicSigningKey & { until: Date }) | null;
}

interface Row extends PublicSigningKey {
  id: string;
  previousPublicKey: Buffer | null;
  previousCreatedAt: Date | null;
  previousUntil: Date | null;
}

const readByTenant = statementFrom<Row>('webhooks:signing_keys_read_by_tenant');
const readById = statementFrom<Row>('webhooks:signing_keys_read_by_id');

/** The public keys of a tenant; undefined: no webhook of it has needed any so far. */
export async function readSigningKeys(client: Client, tenantId: number): Promise<TenantSigningKeys | undefined> {
  const [row] = await readByTenant(client, [tenantId]);
  return row && keysOf(row);
}

/** The public keys with this public id, a UUID; undefined: there are none. */
export async function findSigningKeys(client: Client, id: string): Promise<TenantSigningKeys | undefined> {
  const [row] = await readById(client, [id]);
  return row && keysOf(row);
}

/** The keys, as changes are recorded of them. */
export function valuesOfSigningKeys({ current, previous }: TenantSigningKeys): ConfigurationValues {
  return {
    signingPublicKey: publicKeyText(current.publicKey),
    previousSigningPublicKey: previous && publicKeyText(previous.publicKey),
    previousEndDateTime: previous && previous.until.toISOString(),
  };
}

function keysOf({
  id,
  publicKey,
  createdAt,
  previousPublicKey,
  previousCreatedAt,
  previousUntil,
}: Row): TenantSigningKeys {
  const isKept = previousPublicKey !== null && previousCreatedAt !== null && previousUntil !== null;
  return {
    id,
    current: { publicKey, createdAt },
    previous: isKept ? { publicKey: previousPublicKey, createdAt: previousCreatedAt, until: previousUntil } : null,
  };
}
