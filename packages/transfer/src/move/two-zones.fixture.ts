import type { FieldValues } from '@callout/domain/values/values';
import { foldedValues, termsOf } from '@callout/domain/query/searched-record';
import { randomBytes } from 'node:crypto';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import type { Database } from '@callout/database/connection/database';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { fillTables, type FilledTenant } from '../filled-tables.fixture.ts';
import { readRows } from './copy.ts';
import type { TextRow, Zones } from './move.ts';
import { history, setUp } from './moved-tables.ts';
import type { MoveRules } from './move-tenant.ts';

const ring = (id: string) => KeyRing.parse(`${id}:${randomBytes(32).toString('base64')}`);

export const SECRET = 'the secret of the webhook';
export const PRIVATE_KEY = 'the private key of the tenant';

/** Two databases as zones, each with keys of its own. */
export function zonesOf(source: Database, target: Database): Zones {
  return {
    source: { pool: source.pool, keyRing: ring('here') },
    target: { pool: target.pool, keyRing: ring('there') },
  };
}

/** Rules of a move that is not cut short. */
export const rulesTo = (zoneName: string, change: Partial<MoveRules> = {}): MoveRules => ({
  zoneName,
  freezeLimitMs: 30_000,
  onStep: () => undefined,
  isStopping: () => false,
  ...change,
});

/** Makes a zone with an address in both databases. */
export async function makeZone({ source, target }: Zones, name: string): Promise<void> {
  for (const { pool } of [source, target]) {
    await pool.query(`INSERT INTO zones (name, url, web_url) VALUES ($1, $2, '')`, [name, `https://${name}.example`]);
  }
}

/** A tenant with a row in every table, quiet enough to be moved. */
export async function aFilledTenant({ source }: Zones): Promise<FilledTenant & { readonly name: string }> {
  const { pool, keyRing } = source;
  const one = await fillTables(pool, await insertTenant(pool));
  await pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [one.tenantId]);
  await pool.query(
    `UPDATE event_matches SET verdicts = $2, event_id = (SELECT id FROM events WHERE tenant_id = $1) WHERE tenant_id = $1`,
    [one.tenantId, JSON.stringify({ inactive: [[one.webhookKey, 3]], passed: [[one.webhookKey, 2, 1]] })],
  );
  const values = { fields: { companyName: 'a "quoted" name' }, udfFields: { 3: 'Größe' }, isDeleted: false };
  const searched = [values.fields, values.udfFields, foldedValues(values)];
  await pool.query(
    `UPDATE records SET entity_type = 'Account', deleted_at = NULL, fields = $2, udf_fields = $3, folded = $4, terms = $5
     WHERE tenant_id = $1`,
    [one.tenantId, ...searched, termsOf({ tenantId: one.tenantId, entityType: 'Account' }, values)],
  );
  await pool.query('DELETE FROM tenant_moves WHERE tenant_id = $1', [one.tenantId]);
  const { rows } = await pool.query<{ guid: string; name: string }>(
    'SELECT w.guid, t.name FROM webhooks w JOIN tenants t ON t.id = w.tenant_id WHERE w.key = $1',
    [one.webhookKey],
  );
  const { guid = '', name = '' } = rows[0] ?? {};
  const encrypted = keyRing.encrypt(SECRET, secretAad(one.tenantId, guid), randomBytes(12));
  await pool.query(
    `UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4, previous_secret_key_id = $2,
       previous_secret_nonce = $3, previous_secret_ciphertext = $4, receiver_key_id = $2, receiver_nonce = $3,
       receiver_ciphertext = $4 WHERE key = $1`,
    [one.webhookKey, encrypted.keyId, Buffer.from(encrypted.nonce), Buffer.from(encrypted.ciphertext)],
  );
  const keys = await pool.query<{ id: string }>('SELECT id FROM signing_keys WHERE tenant_id = $1', [one.tenantId]);
  const privateKey = keyRing.encrypt(PRIVATE_KEY, secretAad(one.tenantId, keys.rows[0]?.id ?? ''), randomBytes(12));
  await pool.query(
    `UPDATE signing_keys SET key_id = $2, nonce = $3, ciphertext = $4, previous_key_id = $2, previous_nonce = $3,
       previous_ciphertext = $4 WHERE tenant_id = $1`,
    [one.tenantId, privateKey.keyId, Buffer.from(privateKey.nonce), Buffer.from(privateKey.ciphertext)],
  );
  return { ...one, name };
}

const parsed = (json: string | null | undefined) => JSON.parse(json ?? '{}') as FieldValues;

/** All that is moved of a tenant, without the numbers that belong to an installation, table by table in a fixed order. */
export async function contentOf(pool: Pool, tenantId: number): Promise<Record<string, string[]>> {
  const { rows: webhooks } = await pool.query<{ key: string; guid: string }>(
    'SELECT key::text, guid FROM webhooks WHERE tenant_id = $1',
    [tenantId],
  );
  const { rows: credentials } = await pool.query<{ id: string; name: string }>(
    'SELECT id::text, user_name AS name FROM credentials WHERE tenant_id = $1',
    [tenantId],
  );
  const nameOfWebhook = (key: string | null | undefined) =>
    typeof key === 'string' ? (webhooks.find((one) => one.key === key)?.guid ?? `unknown ${key}`) : null;
  const nameOfCredential = (id: string | null | undefined) =>
    typeof id === 'string' ? (credentials.find((one) => one.id === id)?.name ?? `unknown ${id}`) : null;
  const ownTerms = (row: TextRow) => {
    const values = { fields: parsed(row['fields']), udfFields: parsed(row['udf_fields']), isDeleted: false };
    return termsOf({ tenantId, entityType: row['entity_type'] ?? '' }, values);
  };
  const content: Record<string, string[]> = {};
  for (const one of [...history, ...setUp]) {
    const [table] = one;
    const rows = await readRows(pool, one, tenantId);
    const plain = (row: TextRow): TextRow => ({
      ...row,
      ...('tenant_id' in row && { tenant_id: 'own' }),
      ...('webhook_key' in row && { webhook_key: nameOfWebhook(row['webhook_key']) }),
      ...('credential_id' in row && { credential_id: nameOfCredential(row['credential_id']) }),
      ...(table === 'credentials' && { id: nameOfCredential(row['id']) }),
      ...(table === 'webhooks' && { key: nameOfWebhook(row['key']), ...withoutSecrets }),
      ...(table === 'signing_keys' && encrypted('', 'previous_')),
      ...(table === 'records' && { terms: row['terms'] === ownTerms(row) ? 'own' : 'not its own' }),
      ...(table === 'event_matches' && {
        verdicts: webhooks.reduce(
          (text, { key, guid }) => text.replaceAll(`[${key},`, `[${guid},`),
          row['verdicts'] ?? '',
        ),
      }),
    });
    content[table] = rows.map((row) => JSON.stringify(plain(row))).toSorted();
  }
  return content;
}

/** Encrypted anew: a test opens them. */
const withoutSecrets = encrypted('secret_', 'previous_secret_', 'receiver_');

function encrypted(...prefixes: readonly string[]): TextRow {
  const names = ['key_id', 'nonce', 'ciphertext'];
  return Object.fromEntries(prefixes.flatMap((prefix) => names.map((name) => [`${prefix}${name}`, 'encrypted'])));
}
