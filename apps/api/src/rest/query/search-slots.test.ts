import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { TestResponse } from '../../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

const api = runTestApi({}, { searchTimeoutMs: 20_000 });

/** Keeps searches of definitions waiting in PostgreSQL until `use` is done. */
async function whileLocked(use: () => Promise<void>): Promise<void> {
  const client = await api.database.pool.connect();
  try {
    // Longer than a connection of ours may be idle in a transaction.
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('LOCK TABLE udf_definitions IN ACCESS EXCLUSIVE MODE');
    await use();
  } finally {
    // Closing the connection rolls back, in any state.
    client.release(true);
  }
}

const slow = (tenant: TestTenant) => api.call('GET', '/UserDefinedFieldDefinitions/query', { as: tenant.admin });
const quick = (tenant: TestTenant) => api.call('GET', '/Resources/query', { as: tenant.admin });

async function searchesAtTheLock(): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%udf_definitions%'`,
  );
  return rows[0]?.count ?? 0;
}

describe('searches of one tenant', () => {
  it('leave connections to the others, and the rest of them gets 429 with Retry-After', async () => {
    const [busy, other] = [await makeTenant(api.database), await makeTenant(api.database)];
    const asked: Promise<TestResponse>[] = [];
    await whileLocked(async () => {
      asked.push(...Array.from({ length: 6 }, () => slow(busy)));
      await eventually(async () => expect(await searchesAtTheLock()).toBe(2));
      expect((await quick(other)).status).toBe(200);
      // Waiting searches give up in time; the running ones still wait for the lock.
      const refused = await quick(busy);
      expect(refused).toMatchObject({
        status: 429,
        body: failure('tooManyRequests', expect.stringMatching(/^2 queries of this tenant .*narrow their filters/)),
      });
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(await searchesAtTheLock()).toBe(2);
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 200, 429, 429, 429, 429]);
    expect((await quick(busy)).status).toBe(200);
  });

  it('that wait go on when a connection is free, in turn with those of other tenants', async () => {
    const tenants = [await makeTenant(api.database), await makeTenant(api.database), await makeTenant(api.database)];
    let asked: Promise<TestResponse>[] = [];
    await whileLocked(async () => {
      asked = tenants.flatMap((tenant) => Array.from({ length: 4 }, () => slow(tenant)));
      await eventually(async () => expect(await searchesAtTheLock()).toBe(4));
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('are 503 with Retry-After when others have all connections', async () => {
    const [one, two, three] = [
      await makeTenant(api.database),
      await makeTenant(api.database),
      await makeTenant(api.database),
    ];
    const asked: Promise<TestResponse>[] = [];
    await whileLocked(async () => {
      asked.push(...[one, one, two, two].map(slow));
      await eventually(async () => expect(await searchesAtTheLock()).toBe(4));
      const refused = await quick(three);
      expect(refused).toMatchObject({ status: 503, body: failure('unavailable') });
      expect(refused.headers.get('retry-after')).toBe('5');
    });
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200);
  });
});
