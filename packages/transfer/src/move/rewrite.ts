import { randomBytes } from 'node:crypto';
import { secretAad } from '@callout/domain/secrets/keyring';
import type { Client } from '@callout/database/connection/database';
import type { StoredVerdicts } from '@callout/history/log/event-verdicts';
import type { FieldValues } from '@callout/domain/values/values';
import { termsOf } from '@callout/domain/query/searched-record';
import type { Move, TextRow } from './move.ts';
import { statementFrom, type Statement } from '@callout/database/connection/statement/statement';

const readWebhookKeys = statementFrom<{ key: string }>('transfer:move/move_read_webhook_keys');
const readCredentialIds = statementFrom<{ key: string }>('transfer:move/move_read_credential_ids');
const reserveKeys = statementFrom<{ key: string }>('transfer:move/move_reserve_keys');

const NONCE_BYTES = 12;

/** The differences between the two zones. */
export type Rewriting = Pick<Move, 'source' | 'target' | 'sourceTenantId' | 'targetTenantId'> & {
  readonly keys: Keys;
};

/**
 * The internal keys of a tenant's webhooks and credentials in the target, by their keys in the source. They are
 * numbered per installation, and integrators see neither.
 */
export type Keys = Readonly<Record<'webhook' | 'credential', ReadonlyMap<string, string>>>;

/** Reserves keys in the target, in the order of the keys in the source. */
export async function assignKeys(
  source: Client,
  { target, sourceTenantId }: Pick<Move, 'target' | 'sourceTenantId'>,
): Promise<Keys> {
  const assign = async (table: string, column: string, read: Statement<{ key: string }>) => {
    const sourceKeys = await read(source, [sourceTenantId]);
    const targetKeys = await reserveKeys(target.pool, [table, column, sourceKeys.length]);
    return new Map(sourceKeys.map(({ key }, at) => [key, targetKeys[at]?.key ?? '']));
  };
  return {
    webhook: await assign('webhooks', 'key', readWebhookKeys),
    credential: await assign('credentials', 'id', readCredentialIds),
  };
}

function keyOf({ keys }: Rewriting, kind: keyof Keys, key: string | number | null | undefined): string {
  const targetKey = keys[kind].get(String(key));
  if (targetKey === undefined) throw new Error(`the ${kind} with the key ${key} is not one of the tenant`);
  return targetKey;
}

/** A row for the target: only the numbers of tenant, webhook and credential differ, and the secrets. */
export function rewrite(table: string, row: TextRow, rewriting: Rewriting): TextRow {
  const { tenant_id: tenantId, webhook_key: webhookKey, credential_id: credentialId } = row;
  return {
    ...row,
    ...(typeof tenantId === 'string' && { tenant_id: String(rewriting.targetTenantId) }),
    ...(typeof webhookKey === 'string' && { webhook_key: keyOf(rewriting, 'webhook', webhookKey) }),
    ...(typeof credentialId === 'string' && { credential_id: keyOf(rewriting, 'credential', credentialId) }),
    ...rewriters[table]?.(row, rewriting),
  };
}

/** The columns of a table besides the common ones. */
const rewriters: Readonly<Record<string, (row: TextRow, rewriting: Rewriting) => TextRow>> = {
  credentials: ({ id }, rewriting) => ({ id: keyOf(rewriting, 'credential', id) }),
  webhooks: (row, rewriting) => ({
    key: keyOf(rewriting, 'webhook', row['key']),
    ...reencrypted(row, row['guid'], ['secret_', 'previous_secret_', 'receiver_'], rewriting),
  }),
  // Of a webhook and a child, the id is that of the tenant.
  changes: ({ entity, entity_id: id }, rewriting) => {
    if (entity === 'credential') return { entity_id: keyOf(rewriting, 'credential', id) };
    return entity === 'tenant' ? { entity_id: String(rewriting.targetTenantId) } : {};
  },
  // Key pairs keep the public id, and with the id the end of their address.
  signing_keys: (row, rewriting) => reencrypted(row, row['id'], ['', 'previous_'], rewriting),
  // The tenant is part of each term.
  records: (row, { targetTenantId }) => ({
    terms: termsOf(
      { tenantId: targetTenantId, entityType: row['entity_type'] ?? '' },
      {
        fields: JSON.parse(row['fields'] ?? '{}') as FieldValues,
        udfFields: JSON.parse(row['udf_fields'] ?? '{}') as FieldValues,
        isDeleted: row['deleted_at'] !== null,
      },
    ),
  }),
  event_matches: ({ verdicts }, rewriting) => {
    const moved = Object.entries(JSON.parse(verdicts ?? '{}') as StoredVerdicts).map(([rule, judged]) => [
      rule,
      judged.map(([key, ...rest]) => [Number(keyOf(rewriting, 'webhook', key)), ...rest]),
    ]);
    return { verdicts: JSON.stringify(Object.fromEntries(moved)) };
  },
};

/**
 * The tenant is associated data of the encryption, so every secret is encrypted again.
 * @param guid the rest of the associated data.
 * @param prefixes of the columns of each secret.
 */
function reencrypted(
  row: TextRow,
  guid: string | null | undefined,
  prefixes: readonly string[],
  { source, target, sourceTenantId, targetTenantId }: Rewriting,
): TextRow {
  const owner = guid ?? '';
  const columns: Record<string, string> = {};
  for (const prefix of prefixes) {
    const [keyId, nonce, ciphertext] = ['key_id', 'nonce', 'ciphertext'].map((name) => row[`${prefix}${name}`] ?? '');
    // The secret of a deleted webhook is gone.
    if (keyId === undefined || keyId === '' || nonce === undefined || ciphertext === undefined) continue;
    const plain = source.keyRing.decrypt(
      { keyId, nonce: bytesOf(nonce), ciphertext: bytesOf(ciphertext) },
      secretAad(sourceTenantId, owner),
    );
    const encrypted = target.keyRing.encrypt(plain, secretAad(targetTenantId, owner), randomBytes(NONCE_BYTES));
    columns[`${prefix}key_id`] = encrypted.keyId;
    columns[`${prefix}nonce`] = hexOf(encrypted.nonce);
    columns[`${prefix}ciphertext`] = hexOf(encrypted.ciphertext);
  }
  return columns;
}

/** `\x0a1b`, as PostgreSQL writes bytes. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
