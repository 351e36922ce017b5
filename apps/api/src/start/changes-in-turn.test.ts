import { expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { failure } from '../fixtures/failure.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';

const api = runTestApi({ DATABASE_POOL_SIZE: '10' });

/** How many statements wait for a lock in PostgreSQL. */
async function atTheLock(): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

const createWebhook = (tenant: TestTenant) =>
  api.call('POST', '/CompanyWebhooks', { as: tenant.admin, body: webhookBody() });

it('lets the changes of others through while those of one tenant wait for a lock', async () => {
  const [busy, other] = [await makeTenant(api.database), await makeTenant(api.database)];
  await createWebhook(busy);
  const client = await api.database.pool.connect();
  let asked: ReturnType<typeof createWebhook>[] = [];
  try {
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('SELECT FROM counters WHERE tenant_id = $1 FOR UPDATE', [busy.id]);
    asked = Array.from({ length: 6 }, () => createWebhook(busy));
    await eventually(async () => expect(await atTheLock()).toBe(2));
    expect((await createWebhook(other)).status).toBe(200);
    expect(await atTheLock()).toBe(2);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('answers 503 with Retry-After, and calls the database busy, when a statement had to wait too long', async () => {
  const tenant = await makeTenant(api.database);
  await api.database.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'canceling statement due to lock timeout' USING ERRCODE = '55P03'; END $$`);
  await api.database.pool.query('CREATE TRIGGER refuse BEFORE INSERT ON webhooks EXECUTE FUNCTION refuse()');
  const refused = await createWebhook(tenant);
  await api.database.pool.query('DROP TRIGGER refuse ON webhooks');
  const message = 'The database is busy. Send this again later.';
  expect(refused).toMatchObject({ status: 503, body: failure('unavailable', message) });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await createWebhook(tenant)).status).toBe(200);
});
