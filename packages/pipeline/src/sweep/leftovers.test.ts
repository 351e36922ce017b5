import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { Database } from '@callout/database/connection/database';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { lowestIdAt, newId } from '@callout/database/schema/ids';
import { endRotations } from './ended-rotations.ts';
import { deleteLeftovers } from './leftovers.ts';
import { readSqlFile } from '@callout/database/connection/statement/sql-file';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);
let pool: Database['pool'];
let tenantId: number;
let webhookKey: number;
const rules = { keepDays: 30, keepChangesDays: 365, now: new Date(), isStopping: () => false };
const nothing = {
  calls: 0,
  changes: 0,
  keys: 0,
  mails: 0,
  mergeable: 0,
  pauses: 0,
  pulls: 0,
  seconds: 0,
  secrets: 0,
  sessions: 0,
  tokens: 0,
};
const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

beforeAll(async () => {
  ({ pool } = database);
  tenantId = await insertTenant(pool);
  webhookKey = await insertWebhook(pool, tenantId, 1);
});

async function countOf(table: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]?.count ?? 0;
}

describe('deleteLeftovers', () => {
  it('deletes nothing in a new installation, and runs in one process at a time', async () => {
    expect(await deleteLeftovers(pool, rules)).toEqual(nothing);
    const results = await Promise.all([deleteLeftovers(pool, rules), deleteLeftovers(pool, rules)]);
    expect(results.filter((result) => result === null).length).toBeLessThan(2);
  });

  it('deletes tokens that have expired, and neither those in use nor one that is fetched again', async () => {
    for (const [key, usable, fetching] of [
      [1, '-1 s', null],
      [2, '-1 s', '-1 s'],
      [3, '-1 s', '10 s'],
      [4, '1 h', null],
    ] as const) {
      await pool.query(
        `INSERT INTO receiver_tokens (webhook_key, auth_id, token_id, key_id, nonce, ciphertext, usable_until, fetching_until)
         VALUES ($1, $2, $2, 'k', '', '', now() + $3::interval, now() + $4::interval)`,
        [key, newId(), usable, fetching],
      );
    }
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, tokens: 2 });
    const { rows } = await pool.query('SELECT webhook_key AS key FROM receiver_tokens ORDER BY webhook_key');
    expect(rows).toEqual([{ key: 3 }, { key: 4 }]);
  });

  it('deletes mails that were sent long ago, and keeps mails that wait', async () => {
    for (const [state, days] of [
      ['sent', 31],
      ['refused', 31],
      ['failed', 31],
      ['waiting', 31],
      ['sent', 29],
    ] as const) {
      await pool.query(
        `INSERT INTO notifications (id, tenant_id, webhook_key, kind, occasion, recipient, content, state, due_at, created_at)
         VALUES ($1::uuid, $2, $3, 'error', $1::text, 'a@b.example', '{}', $4, $5, $5)`,
        [newId(), tenantId, webhookKey, state, ago(days)],
      );
    }
    expect(await deleteLeftovers(pool, { ...rules, keepDays: 0 })).toEqual(nothing);
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, mails: 3 });
    expect(await countOf('notifications')).toBe(2);
  });

  it('deletes what callouts carry that have ended before they were tried', async () => {
    const [open, ended] = [newId(), newId()];
    await pool.query(
      `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
       VALUES ($1, $2, $3, 'Account', 1, 'Update', 1, 'due', now())`,
      [open, tenantId, webhookKey],
    );
    await pool.query(
      `INSERT INTO mergeable_callouts (webhook_key, record_id, callout_id, tenant_id, version, carried)
       SELECT $1, n, id, $2, 1, '{}' FROM unnest($3::uuid[]) WITH ORDINALITY AS u (id, n)`,
      [webhookKey, tenantId, [open, ended]],
    );
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, mergeable: 1 });
    expect(await countOf('mergeable_callouts')).toBe(1);
  });

  it('deletes old pauses of webhooks, and no other change', async () => {
    for (const [change, days] of [
      ['paused', 31],
      ['resumed', 31],
      ['deactivated', 31],
      ['paused', 29],
    ] as const) {
      await pool.query(
        `INSERT INTO changes (id, tenant_id, webhook_key, at, action, entity, cause, actor_kind, fields)
         VALUES ($1, $2, $3, $4, $5, 'webhook', 'user', 'user', '[]')`,
        [lowestIdAt(ago(days)).slice(0, -6) + newId().slice(-6), tenantId, webhookKey, ago(days), change],
      );
    }
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, pauses: 2 });
    expect(await countOf('changes')).toBe(2);
  });

  it('reads pauses only, and not all old changes', async () => {
    await pool.query(
      `INSERT INTO changes (id, tenant_id, webhook_key, at, action, entity, cause, actor_kind, fields)
       SELECT (left($1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $2, $3, $4, 'deactivated', 'webhook', 'user', 'user', '[]'
       FROM generate_series(1, 2000) AS n`,
      [lowestIdAt(ago(40)), tenantId, webhookKey, ago(40)],
    );
    await pool.query('ANALYZE changes');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN ${readSqlFile('sweep/leftovers_pauses').text.replace('$1', '5000').replace('$2', 'now()').replace('$3', `'${newId()}'`)}`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('changes_pauses');
    await pool.query("DELETE FROM changes WHERE at < now() - interval '35 days'");
  });

  it('deletes old changes, except the one that says why a webhook is inactive', async () => {
    await pool.query('DELETE FROM changes');
    await pool.query('UPDATE webhooks SET is_active = false WHERE key = $1', [webhookKey]);
    for (const [action, days] of [
      ['deactivated', 500],
      ['updated', 450],
      ['deactivated', 400],
      ['updated', 300],
    ] as const) {
      await pool.query(
        `INSERT INTO changes (id, tenant_id, webhook_key, at, action, entity, cause, actor_kind, fields)
         VALUES ($1, $2, $3, $4, $5, 'webhook', 'gone', 'service', '[]')`,
        [lowestIdAt(ago(days)), tenantId, webhookKey, ago(days), action],
      );
    }
    expect(await deleteLeftovers(pool, { ...rules, keepChangesDays: 0 })).toEqual(nothing);
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, changes: 2 });
    await pool.query('UPDATE webhooks SET is_active = true WHERE key = $1', [webhookKey]);
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, changes: 1 });
    await pool.query('DELETE FROM changes');
  });

  it('ends rotations whose overlap is over, and records that the service did it', async () => {
    const until = ago(1);
    await pool.query(
      `UPDATE webhooks SET previous_secret_key_id = 'k', previous_secret_nonce = '', previous_secret_ciphertext = '',
         previous_secret_until = $2 WHERE key = $1`,
      [webhookKey, until],
    );
    expect(await endRotations(pool, 10)).toBe(1);
    expect(await endRotations(pool, 10)).toBe(0);
    expect(await database.prisma.webhook.findUniqueOrThrow({ where: { key: webhookKey } })).toMatchObject({
      previousSecretCiphertext: null,
    });
    expect(await database.prisma.change.findMany({ where: { webhookKey } })).toMatchObject([
      {
        ...{ actorKind: 'service', cause: 'rotationEnded', action: 'updated' },
        fields: [{ field: 'previousSecretUntil', from: until.toISOString(), to: null }],
      },
    ]);
    await pool.query('DELETE FROM changes');
  });

  it('deletes seconds that the threshold counted hours ago, and lowers its count', async () => {
    const second = (hours: number) => new Date(Math.floor(Date.now() / 1000) * 1000 - hours * 3_600_000);
    await pool.query("INSERT INTO threshold_windows (tenant_id, entity_type, used) VALUES ($1, 'Account', 9)", [
      tenantId,
    ]);
    for (const [hours, used] of [
      [5, 4],
      [3, 3],
      [0, 2],
    ] as const) {
      await pool.query("INSERT INTO threshold_use VALUES ($1, 'Account', $2, $3)", [tenantId, second(hours), used]);
    }
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, seconds: 2 });
    const { rows } = await pool.query<{ used: number }>('SELECT used FROM threshold_windows');
    expect(rows).toEqual([{ used: 2 }]);
  });

  it('deletes expired sessions of the console, and expired links to begin one', async () => {
    for (const table of ['console_sessions', 'console_links']) {
      await pool.query(
        `INSERT INTO ${table} (token_hash, kind, expires_at) VALUES
         ('old', 'operator', now() - interval '1 minute'), ('new', 'operator', now() + interval '1 minute')`,
      );
    }
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, sessions: 2 });
    expect([await countOf('console_sessions'), await countOf('console_links')]).toEqual([1, 1]);
  });

  it('deletes keys older than a day, in more than one batch, and keeps keys that are being reused', async () => {
    await pool.query(
      `INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash, accepted_at)
       SELECT $1, 'key ' || n, gen_random_uuid(), '', now() - interval '25 hours' FROM generate_series(1, 5200) AS n`,
      [tenantId],
    );
    await pool.query("INSERT INTO event_keys VALUES ($1, 'today', gen_random_uuid(), '')", [tenantId]);
    await pool.query(
      `INSERT INTO idempotency_keys (credential_id, route, key, request_hash, status, body, created_at)
       SELECT 1, 'POST /EntityEvents', hours::text, '', 202, '{}', now() - hours * interval '1 hour'
       FROM unnest(ARRAY[23, 25]) AS hours`,
    );
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query("SELECT FROM event_keys WHERE event_key = 'key 1' FOR UPDATE");
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, keys: 5200 });
    await other.query('ROLLBACK');
    other.release();
    expect(await deleteLeftovers(pool, rules)).toEqual({ ...nothing, keys: 1 });
    expect([await countOf('event_keys'), await countOf('idempotency_keys')]).toEqual([1, 1]);
  });
});
