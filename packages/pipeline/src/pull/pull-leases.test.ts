import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { makeOlder, settleRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { pullAll } from '../fixtures/pull-all.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { claimStalePulls, lapsedPullLeases, noteHandedOut, readPullLeases } from './pull-leases.ts';
import { settlePulls } from './settle-pulls.ts';

const database = useDatabase(createDisposableDatabase);
const rules = { ...settleRules, schedule: { waitsMs: [1_000], jitter: 0 }, userAgent: 'test' };

/** A webhook whose callouts are fetched, with one callout of each record. */
async function aPulledWebhook(...recordIds: number[]) {
  const tenant = await aTenantWithCallouts(database);
  const webhookKey = tenant.keys[0] ?? 0;
  const { pool } = database;
  await pool.query("UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull' WHERE key = $1", [webhookKey]);
  const calloutIds: string[] = [];
  for (const recordId of recordIds) calloutIds.push(await tenant.add(recordId));
  const claim = () => pullAll(pool, webhookKey);
  return {
    ...tenant,
    webhookKey,
    calloutIds,
    claim,
    handOut: async () => noteHandedOut(pool, await claim()),
    lapse: async () => {
      const earlier = "now() - interval '1 second'";
      await pool.query(`UPDATE open_callouts SET lease_until = ${earlier} WHERE webhook_key = $1`, [webhookKey]);
      await pool.query(`UPDATE pull_leases SET lease_until = ${earlier} WHERE webhook_key = $1`, [webhookKey]);
    },
    open: async () => {
      const { rows } = await pool.query<{ attempts_made: number; lease_owner: string | null }>(
        'SELECT attempts_made, lease_owner FROM open_callouts WHERE webhook_key = $1 ORDER BY record_id',
        [webhookKey],
      );
      return rows;
    },
  };
}

describe('a pull lease that ends', () => {
  it('without an acknowledgement is one failed attempt, though two workers find it', async () => {
    const webhook = await aPulledWebhook(1, 2);
    await webhook.handOut();
    await webhook.lapse();
    expect(await webhook.claim()).toEqual([]);
    const found = await Promise.all([lapsedPullLeases(database.pool, 10), lapsedPullLeases(database.pool, 10)]);
    expect(found.map((leases) => leases.length)).toEqual([2, 2]);
    const lapsed = found.map((leases) => leases.map((lease) => ({ lease, result: { kind: 'lapsed' } as const })));
    const settled = await Promise.all(lapsed.map((results) => settlePulls(database.pool, results, rules)));
    expect(settled.flatMap(({ settlements }) => settlements)).toHaveLength(2);
    expect(await webhook.open()).toEqual([
      { attempts_made: 1, lease_owner: null },
      { attempts_made: 1, lease_owner: null },
    ]);
    expect(await lapsedPullLeases(database.pool, 10)).toEqual([]);
  });

  it('before the callout was handed out is no attempt: the callout is claimed again', async () => {
    const webhook = await aPulledWebhook(1);
    const [first] = await webhook.claim();
    expect(await webhook.claim()).toEqual([]);
    await webhook.lapse();
    const [second] = await webhook.claim();
    expect(second).toMatchObject({ id: first?.id, attemptsMade: 0 });
    // The first claim comes too late.
    expect(await noteHandedOut(database.pool, first ? [first] : [])).toEqual([]);
  });

  it('counts as acknowledged when the acknowledgement was stored and its response got lost', async () => {
    const webhook = await aPulledWebhook(1);
    const [out] = await webhook.handOut();
    const [lease] = await readPullLeases(database.pool, webhook.webhookKey, [out?.leaseId ?? '']);
    if (lease === undefined) throw new Error('no lease');
    await settlePulls(database.pool, [{ lease, result: { kind: 'acked' } }], rules);
    const again = await settlePulls(
      database.pool,
      [{ lease, result: { kind: 'nacked', reason: null, retryAfterS: null } }],
      rules,
    );
    expect([...again.outcomes.values()]).toEqual(['acked']);
    expect(again.settlements).toEqual([]);
  });
});

describe('a callout that is not fetched', () => {
  it('fails when it is too old, and only then, also one behind others of its record', async () => {
    const webhook = await aPulledWebhook(1, 1, 2);
    const { pool } = database;
    const rule = { keepMs: 3_600_000, leaseMs: 60_000, most: 100 };
    expect(await claimStalePulls(pool, rule)).toEqual([]);
    const old = { ...rule, keepMs: -60_000 };
    const rounds: number[] = [];
    for (let stale = await claimStalePulls(pool, old); stale.length > 0; stale = await claimStalePulls(pool, old)) {
      // Callouts of other tests are due once more while this one runs.
      const own = stale.filter(({ webhookKey }) => webhookKey === webhook.webhookKey);
      if (own.length > 0) rounds.push(own.length);
      const results = stale.map((lease) => ({ lease, result: { kind: 'notFetched', keptFor: '7 days' } as const }));
      await settlePulls(pool, results, rules);
    }
    expect(rounds).toEqual([2, 1]);
    expect(await webhook.open()).toEqual([]);
    const { rows } = await pool.query<{ failure: string }>(
      'SELECT failure FROM attempts WHERE webhook_key = $1 AND next_attempt_at IS NULL',
      [webhook.webhookKey],
    );
    expect(rows.map(({ failure }) => failure)).toEqual(
      Array(3).fill(expect.stringContaining('was not fetched within 7 days.')),
    );
  });

  it('does not fail while it is handed out', async () => {
    const webhook = await aPulledWebhook(1);
    await webhook.handOut();
    expect(await claimStalePulls(database.pool, { keepMs: -60_000, leaseMs: 60_000, most: 100 })).toEqual([]);
  });

  it('fails while younger ones of its webhook wait', async () => {
    const webhook = await aPulledWebhook(1, 2);
    const old = await makeOlder(database.pool, webhook.calloutIds[0] ?? '', 2);
    const stale = await claimStalePulls(database.pool, { keepMs: 86_400_000, leaseMs: 60_000, most: 100 });
    expect(stale.map(({ calloutId }) => calloutId)).toEqual([old]);
  });
});
