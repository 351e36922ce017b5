import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { forgetOldKeys } from './forget-old-keys.ts';

const database = useDatabase(createDisposableDatabase);

describe('forgetOldKeys', () => {
  it('deletes keys older than 24 hours, up to a limit, and keeps keys that are being reused', async () => {
    const { pool } = database;
    const ages = ['25 hours', '24 hours 1 second', '30 days', '23 hours 59 minutes', '0'];
    const insert = (table: string, columns: string, values: string, time: string) =>
      pool.query(
        `INSERT INTO ${table} (${columns}, ${time})
         SELECT ${values}, now() - age FROM unnest($1::interval[]) WITH ORDINALITY AS a (age, n)`,
        [ages],
      );
    const eventKey = "1, 'e-' || n, gen_random_uuid(), ''";
    await insert('event_keys', 'tenant_id, event_key, event_id, content_hash', eventKey, 'accepted_at');
    const requestKey = "1, 'POST /EntityEvents', 'k-' || n, '', 202, '{}'";
    await insert('idempotency_keys', 'credential_id, route, key, request_hash, status, body', requestKey, 'created_at');

    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query("SELECT FROM event_keys WHERE event_key = 'e-1' FOR UPDATE");
    expect(await forgetOldKeys(pool, 2)).toEqual({ eventKeys: 2, idempotencyKeys: 2 });
    expect(await forgetOldKeys(pool, 2)).toEqual({ eventKeys: 0, idempotencyKeys: 1 });
    await other.query('ROLLBACK');
    other.release();
    expect(await forgetOldKeys(pool, 2)).toEqual({ eventKeys: 1, idempotencyKeys: 0 });
    const { rows } = await pool.query('SELECT event_key FROM event_keys ORDER BY 1');
    expect(rows).toEqual([{ event_key: 'e-4' }, { event_key: 'e-5' }]);
    expect((await pool.query('SELECT FROM idempotency_keys')).rowCount).toBe(2);
  });
});
