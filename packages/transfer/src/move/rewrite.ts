import { randomBytes } from 'node:crypto';
import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { StoredVerdicts } from '@callout/history/log/event-verdicts';
import type { FieldValues } from '@callout/domain/values/values';
import { termsOf } from '@callout/domain/query/searched-record';
import type { KeyKind, KeyMap } from './key-map.ts';
import type { TextRow } from './text-rows.ts';

const NONCE_BYTES = 12;

/** The differences between the two zones. */
export interface Rewriting {
  readonly sourceTenantId: number;
  readonly targetTenantId: number;
  readonly keys: KeyMap;
  readonly sourceRing: KeyRing;
  readonly targetRing: KeyRing;
}

/**
 * A row as it is in the target: the same but for the numbers of its tenant, webhook and credential, and for its
 * secrets.
 */
export function rewrite(table: string, row: TextRow, rewriting: Rewriting): TextRow {
  const { targetTenantId, keys } = rewriting;
  const made: TextRow = { ...row };
  if (typeof row['tenant_id'] === 'string') made['tenant_id'] = String(targetTenantId);
  if (typeof row['webhook_key'] === 'string') made['webhook_key'] = keys.of('webhook', row['webhook_key']);
  if (typeof row['credential_id'] === 'string') made['credential_id'] = keys.of('credential', row['credential_id']);
  return { ...made, ...own[table]?.(row, rewriting) };
}

/** The webhooks and credentials that a row names, by their keys in the source. */
export function keysNamed(table: string, row: TextRow): Readonly<Record<KeyKind, readonly string[]>> {
  const given = (...names: string[]) => names.map((name) => row[name]).filter((key) => typeof key === 'string');
  if (table === 'webhooks') return { webhook: given('key'), credential: [] };
  if (table === 'credentials') return { webhook: [], credential: given('id') };
  if (table === 'event_matches') return { webhook: Object.values(verdictsOf(row)).flatMap(keysOf), credential: [] };
  return { webhook: given('webhook_key'), credential: given('credential_id') };
}

function verdictsOf({ verdicts }: TextRow): StoredVerdicts {
  return JSON.parse(verdicts ?? '{}') as StoredVerdicts;
}

function keysOf(judged: NonNullable<StoredVerdicts[keyof StoredVerdicts]>): string[] {
  return judged.map(([key]) => String(key));
}

/** The columns of a table besides the common ones. */
const own: Readonly<Record<string, (row: TextRow, rewriting: Rewriting) => TextRow>> = {
  credentials: ({ id }, { keys }) => ({ id: keys.of('credential', id ?? '') }),
  webhooks: (row, rewriting) => ({
    key: rewriting.keys.of('webhook', row['key'] ?? ''),
    // Until the tenant is served there.
    is_moving: 'true',
    ...resealed(row, rewriting),
  }),
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
  event_matches: (row, { keys }) => {
    const moved = Object.entries(verdictsOf(row)).map(([rule, judged]) => [
      rule,
      judged.map(([key, ...rest]) => [Number(keys.of('webhook', String(key))), ...rest]),
    ]);
    return { verdicts: JSON.stringify(Object.fromEntries(moved)) };
  },
};

/** Tenant and webhook are associated data of the encryption, so every secret is encrypted again. */
function resealed(row: TextRow, { sourceTenantId, targetTenantId, sourceRing, targetRing }: Rewriting): TextRow {
  const guid = row['guid'] ?? '';
  const made: TextRow = {};
  for (const prefix of ['secret', 'previous_secret']) {
    const [keyId, nonce, ciphertext] = ['key_id', 'nonce', 'ciphertext'].map((name) => row[`${prefix}_${name}`] ?? '');
    // The secret of a deleted webhook is gone.
    if (keyId === undefined || keyId === '' || nonce === undefined || ciphertext === undefined) continue;
    const plain = sourceRing.decrypt(
      { keyId, nonce: bytesOf(nonce), ciphertext: bytesOf(ciphertext) },
      secretAad(sourceTenantId, guid),
    );
    const sealed = targetRing.encrypt(plain, secretAad(targetTenantId, guid), randomBytes(NONCE_BYTES));
    made[`${prefix}_key_id`] = sealed.keyId;
    made[`${prefix}_nonce`] = hexOf(sealed.nonce);
    made[`${prefix}_ciphertext`] = hexOf(sealed.ciphertext);
  }
  return made;
}

/** `\x0a1b`, as PostgreSQL writes bytes. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
