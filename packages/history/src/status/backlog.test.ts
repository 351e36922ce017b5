import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { Client } from 'pg';
import type { Database } from '@callout/database/connection/database';
import { insertCallout } from '@callout/pipeline/fixtures/callouts';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { countBacklog, readBacklog } from './backlog.ts';

const database = useDatabase(createDisposableDatabase);
let pool: Database['pool'];
let tenantId: number;

beforeEach(async () => {
  ({ pool } = database);
  await pool.query('DELETE FROM webhook_health');
  await pool.query('DELETE FROM open_callouts');
  await pool.query('DELETE FROM webhooks');
  tenantId = await insertTenant(pool);
});

const none = {
  due: 0,
  dueSinceDateTime: null,
  beingSent: 0,
  inLine: 0,
  rate: 0,
  toFetch: 0,
  paused: 0,
  later: 0,
  waiting: 0,
  held: 0,
  cancelling: 0,
};
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** Due callouts of as many records, since that long. */
async function dueCallouts(webhookKey: number, count: number, seconds: number): Promise<string[]> {
  const ids: string[] = [];
  for (let recordId = 1; recordId <= count; recordId += 1) {
    ids.push(await insertCallout(pool, { tenantId, webhookKey, recordId }));
  }
  const dueAt = secondsAgo(seconds);
  await pool.query('UPDATE open_callouts SET due_at = $2 WHERE callout_id = ANY($1)', [ids, dueAt]);
  return ids;
}

async function change(ids: readonly string[], set: string): Promise<void> {
  await pool.query(`UPDATE open_callouts SET ${set} WHERE callout_id = ANY($1)`, [ids]);
}

async function pause(webhookKey: number, until: Date): Promise<void> {
  await database.prisma.webhookHealth.create({ data: { webhookKey, pauses: 3, pausedUntil: until, downInRow: 12 } });
}

async function openCallouts() {
  return (await countBacklog(pool)).openCallouts;
}

describe('what waits for a worker', () => {
  it('is what a worker could send now, since the first of it could be', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    await dueCallouts(webhookKey, 3, 90);
    const { dueSinceDateTime, ...counts } = await openCallouts();
    expect(counts).toEqual({ ...none, dueSinceDateTime: undefined, due: 3 });
    expect(dueSinceDateTime?.getTime()).toBeLessThan(secondsAgo(89).getTime());
  });

  it('is nothing of a webhook while it is paused', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    await dueCallouts(webhookKey, 4, 7200);
    await pause(webhookKey, secondsAgo(-60));
    expect(await openCallouts()).toEqual({ ...none, paused: 4 });
    expect((await countBacklog(pool)).pausedWebhooks).toBe(1);
    expect((await readBacklog(pool, { mostWebhooks: 5 })).fullest).toMatchObject([
      { tenantID: tenantId, tenantName: expect.any(String), openCallouts: 4, pausedUntilDateTime: expect.any(Date) },
    ]);
  });

  it('is the one call that asks again when a pause is over, since then and not since the callouts are due', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    await dueCallouts(webhookKey, 4, 7200);
    await pause(webhookKey, secondsAgo(120));
    const { dueSinceDateTime, ...counts } = await openCallouts();
    expect(counts).toEqual({ ...none, dueSinceDateTime: undefined, due: 1, paused: 3 });
    expect(dueSinceDateTime?.getTime()).toBeGreaterThan(secondsAgo(180).getTime());
  });

  it('is nothing behind calls of its webhook that are under way, and tests and deactivation calls all the same', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    const [sent = '', call = '', test = ''] = await dueCallouts(webhookKey, 6, 7200);
    await change([sent], `lease_until = now() + interval '1 minute'`);
    expect(await openCallouts()).toEqual({ ...none, beingSent: 1, inLine: 5 });
    await change([call], `kind = 'deactivation', record_id = -1`);
    await change([test], `kind = 'test', record_id = 0`);
    expect(await openCallouts()).toMatchObject({ due: 2, beingSent: 1, inLine: 3 });
    await change([sent], `lease_until = now() - interval '1 second'`);
    expect(await openCallouts()).toMatchObject({ due: 6, beingSent: 0, inLine: 0 });
  });

  it('is not beyond the limits that its webhook has for calls', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    const [sent = ''] = await dueCallouts(webhookKey, 6, 7200);
    const limit = (perSecond: number | null, atOnce: number | null) =>
      pool.query('UPDATE webhooks SET max_calls_per_second = $2, max_concurrent_calls = $3 WHERE key = $1', [
        webhookKey,
        perSecond,
        atOnce,
      ]);
    await limit(0.1, null);
    expect(await openCallouts()).toMatchObject({ due: 6, rate: 0 });
    await pool.query("INSERT INTO webhook_rates VALUES ($1, now() + interval '5 seconds')", [webhookKey]);
    expect(await openCallouts()).toEqual({ ...none, rate: 6 });
    await pool.query("UPDATE webhook_rates SET next_call_at = now() - interval '1 minute'");
    expect(await openCallouts()).toMatchObject({ due: 6, rate: 0 });
    await limit(null, 1);
    await change([sent], `lease_until = now() + interval '1 minute'`);
    expect(await openCallouts()).toEqual({ ...none, beingSent: 1, rate: 5 });
  });

  it('is neither held, nor later, nor behind one of its record, nor of an inactive webhook', async () => {
    const webhookKey = await insertWebhook(pool, tenantId, 1);
    const [held = '', later = ''] = await dueCallouts(webhookKey, 2, 7200);
    await insertCallout(pool, { tenantId, webhookKey, recordId: 2 });
    await change([held], `state = 'held'`);
    await change([later], `due_at = now() + interval '1 hour'`);
    expect(await openCallouts()).toEqual({ ...none, later: 1, waiting: 1, held: 1 });
    await pool.query('UPDATE webhooks SET is_active = false');
    expect(await openCallouts()).toEqual({ ...none, cancelling: 3 });
    await change([later], `kind = 'deactivation', record_id = -1, due_at = now()`);
    expect(await openCallouts()).toMatchObject({ due: 1, cancelling: 2 });
  });
});

describe('connections', () => {
  it('are those of this database, beside those of its server', async () => {
    const other = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const client = new Client({ connectionString: other.url });
    await client.connect();
    const { connections } = await countBacklog(pool);
    const { rows } = await pool.query<{ elsewhere: number }>(
      `SELECT count(*)::int AS elsewhere FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND datname <> current_database()`,
    );
    expect(connections.api + connections.worker).toBe(0);
    expect(connections.all).toBeGreaterThan(0);
    expect(rows[0]?.elsewhere).toBeGreaterThan(0);
    expect(connections.server).toBeGreaterThan(connections.all);
    expect(connections.most).toBeGreaterThan(connections.server);
    await client.end();
    await other.drop();
  });
});
