import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { settleRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { pullAll } from '../fixtures/pull-all.ts';
import { notifyOfFailingWebhooks } from '../sweep/failing.ts';
import { noteHandedOut, readPullLeases } from './pull-leases.ts';
import { settlePulls } from './settle-pulls.ts';
import { markUnfetchedWebhooks } from './unfetched.ts';

const database = useDatabase(createDisposableDatabase);
const minute = 60_000;
const rules = { ...settleRules, schedule: { waitsMs: [minute], jitter: 0 }, userAgent: 'test' };
const failingRules = {
  alertAfterMs: 5 * minute,
  gatherMs: 2 * minute,
  deactivateAfter: 25,
  schedule: rules.schedule,
  pullKeepMs: 7 * 24 * 60 * minute,
};

/** A webhook whose callouts are fetched, with some that have been due for ten minutes. */
async function aBacklog(...recordIds: number[]) {
  const tenant = await aTenantWithCallouts(database);
  const { pool, prisma } = database;
  const webhookKey = tenant.keys[0] ?? 0;
  const where = 'WHERE webhook_key = $1';
  await pool.query("UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull' WHERE key = $1", [webhookKey]);
  await pool.query("UPDATE resources SET email = 'owner@example.com' WHERE tenant_id = $1", [tenant.tenantId]);
  for (const recordId of recordIds) await tenant.add(recordId);
  await pool.query(`UPDATE open_callouts SET due_at = now() - interval '10 minutes' ${where}`, [webhookKey]);
  return {
    webhookKey,
    tenantId: tenant.tenantId,
    fetch: async () => noteHandedOut(pool, await pullAll(pool, webhookKey)),
    /** Moves all fetches into the past, with their leases ended. */
    passes: async (ago: string) => {
      const at = `now() - interval '${ago}'`;
      await pool.query(`UPDATE pull_leases SET handed_out_at = ${at}, lease_until = ${at} ${where}`, [webhookKey]);
      await pool.query(`UPDATE open_callouts SET lease_until = ${at} ${where}`, [webhookKey]);
    },
    settle: async (leaseIds: readonly string[], kind: 'acked' | 'lapsed') => {
      const leases = await readPullLeases(pool, webhookKey, [...leaseIds]);
      const results = leases.map((lease) => ({ lease, result: { kind } }) as const);
      await settlePulls(pool, results, rules);
    },
    cancelAll: () => pool.query(`DELETE FROM open_callouts ${where}`, [webhookKey]),
    health: () => prisma.webhookHealth.findUnique({ where: { webhookKey } }),
    kinds: async () => {
      const rows = await prisma.notification.findMany({ where: { webhookKey }, orderBy: { createdAt: 'asc' } });
      return rows.map(({ kind, content }) => [kind, (content as { facts: object }).facts]);
    },
    look: async () => {
      await markUnfetchedWebhooks(pool, failingRules.alertAfterMs);
      await notifyOfFailingWebhooks(pool, failingRules);
    },
  };
}

describe('a webhook whose callouts nobody fetches', () => {
  it('is failing since the first of them became due, and has recovered once one is acknowledged', async () => {
    const backlog = await aBacklog(1, 2);
    await backlog.look();
    await backlog.look();
    expect(await backlog.health()).toMatchObject({ isUnfetched: true, failedInRow: 0, pauses: 0 });
    const failing = [
      'failing',
      expect.objectContaining({
        isUnfetched: true,
        isPaused: false,
        failed: 0,
        deactivationAt: null,
        nextAttemptAt: null,
        firstFailsAt: expect.any(String),
      }),
    ];
    expect(await backlog.kinds()).toEqual([failing]);
    const [first] = await backlog.fetch();
    await backlog.look();
    expect(await backlog.health()).toMatchObject({ isUnfetched: true });
    await backlog.settle([first?.leaseId ?? ''], 'acked');
    expect(await backlog.health()).toBeNull();
    await backlog.look();
    expect(await backlog.kinds()).toEqual([failing, ['recovered', expect.objectContaining({ failed: 0 })]]);
  });

  it('is healthy while a program has fetched lately, or has leases, however long the others wait', async () => {
    const backlog = await aBacklog(1, 2);
    const [first, second] = await backlog.fetch();
    await backlog.passes('6 minutes');
    await database.pool.query("UPDATE pull_leases SET lease_until = now() + interval '1 minute' WHERE id = $1", [
      first?.leaseId,
    ]);
    await backlog.look();
    expect(await backlog.health()).toBeNull();
    await backlog.settle([first?.leaseId ?? '', second?.leaseId ?? ''], 'acked');
    const other = await aBacklog(1);
    await other.fetch();
    await other.passes('4 minutes');
    await other.look();
    expect(await other.health()).toBeNull();
    await other.passes('6 minutes');
    await other.look();
    expect(await other.health()).toMatchObject({ isUnfetched: true });
  });

  it('is failing when its program has fetched and not acknowledged', async () => {
    const backlog = await aBacklog(1);
    await backlog.look();
    const { failingSince } = (await backlog.health()) ?? {};
    const [only] = await backlog.fetch();
    await backlog.settle([only?.leaseId ?? ''], 'lapsed');
    expect(await backlog.health()).toMatchObject({
      isUnfetched: false,
      failingSince,
      lastFailure: expect.stringContaining('Acknowledge'),
    });
  });

  it('is no longer failing when nothing is left to fetch, and has not recovered', async () => {
    const backlog = await aBacklog(1);
    const health = await insertWebhook(database.pool, backlog.tenantId, 9);
    await database.pool.query("UPDATE webhooks SET entity_type = 'WebhookHealth' WHERE key = $1", [health]);
    await backlog.look();
    await backlog.cancelAll();
    await backlog.look();
    expect(await backlog.health()).toBeNull();
    expect((await backlog.kinds()).map(([kind]) => kind)).toEqual(['failing']);
    // What was reported of it is over all the same.
    const { rows } = await database.pool.query<{ occurrence: string }>(
      "SELECT content ->> 'occurrence' AS occurrence FROM webhook_occurrences ORDER BY occurred_at, id",
    );
    expect(rows.map(({ occurrence }) => occurrence)).toEqual(['failing', 'recovered']);
  });

  it('is not one whose callouts are sent, or that is inactive', async () => {
    for (const change of ["webhook_url = 'http://127.0.0.1/in', delivery_mode = 'push'", 'is_active = false']) {
      const backlog = await aBacklog(1);
      await database.pool.query(`UPDATE webhooks SET ${change} WHERE key = $1`, [backlog.webhookKey]);
      await backlog.look();
      expect(await backlog.health()).toBeNull();
      await backlog.cancelAll();
    }
  });
});
