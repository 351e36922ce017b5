import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import * as fc from 'fast-check';
import { openDatabase, type Database } from '../database.ts';
import { claimRules, delivered, insertCallout, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { applyMigrations } from '../migrations.ts';
import { claimDueCallouts, putOffCallout } from './claim.ts';
import type { ClaimedCallout } from './claimed.ts';
import { settleAttempts } from './settle.ts';
import type { Settlement } from './settlement.ts';
import { takeFirstAttempts } from './threshold.ts';
import { releaseHeldCallouts } from './release-held.ts';

const hourS = 3_600;

let disposable: DisposableDatabase;
let database: Database;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 8, applicationName: 'test', onError: () => undefined });
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

/** A tenant whose companies have some webhooks that want to hear of the threshold, and its world's clock. */
async function aTenant(limit: number | null, webhookCount = 2) {
  const tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  await database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenantId, limit]);
  const keys: number[] = [];
  for (let id = 1; id <= webhookCount; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
  await database.pool.query('UPDATE webhooks SET send_threshold_exceeded_notification = true WHERE tenant_id = $1', [
    tenantId,
  ]);
  const rules = { ...claimRules, threshold: 0 };

  async function states(): Promise<Record<string, number>> {
    const { rows } = await database.pool.query<{ state: string; count: number }>(
      'SELECT state, count(*) FROM open_callouts WHERE tenant_id = $1 GROUP BY state',
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  return {
    tenantId,
    keys,
    states,
    add: (webhook: number, recordId: number) =>
      insertCallout(database.pool, { tenantId, webhookKey: keys[webhook] ?? 0, recordId }),
    claim: (places = 100, webhooks = keys) =>
      claimDueCallouts(
        database.pool,
        webhooks.map((webhookKey) => ({ webhookKey, places })),
        rules,
      ),
    release: async (placesOf: (webhookKey: number) => number = () => 100, atMost = 1_000) => {
      const released = await releaseHeldCallouts(database.pool, { ...rules, atMost, placesOf });
      return released.filter((callout) => callout.tenantId === tenantId);
    },
    settle: (callouts: readonly ClaimedCallout[], next: Settlement['next'] = delivered) =>
      settleAttempts(
        database.pool,
        callouts.map((callout) => settlementOf(callout, next)),
        settleRules,
      ),
    /** What was counted so far becomes older. */
    pass: async (seconds: number) => {
      // In two steps, since each row takes the key of another.
      for (const step of [1_000_000 + seconds, -1_000_000]) {
        await database.pool.query(
          "UPDATE threshold_use SET second = second - $2 * interval '1 second' WHERE tenant_id = $1",
          [tenantId, step],
        );
      }
    },
    mails: async () => {
      const { rows } = await database.pool.query<{ webhook: number; kind: string }>(
        `SELECT webhook_key AS webhook, kind FROM notifications WHERE tenant_id = $1 ORDER BY created_at, webhook_key`,
        [tenantId],
      );
      return rows.map(({ webhook, kind }) => `${kind} ${keys.indexOf(webhook)}`);
    },
  };
}

const idsOf = (callouts: readonly { id: string }[]): string[] => callouts.map(({ id }) => id);

describe('the threshold', () => {
  it('holds what is above it, the oldest goes first, and nothing is dropped', async () => {
    const { add, claim, release, pass, states } = await aTenant(3);
    const made: string[] = [];
    for (let recordId = 1; recordId <= 5; recordId += 1) made.push(await add(recordId % 2, recordId));
    expect(idsOf(await claim()).toSorted()).toEqual(made.slice(0, 3));
    expect(await states()).toEqual({ due: 3, held: 2 });
    expect(await release()).toEqual([]);
    await pass(hourS);
    expect(idsOf(await release())).toEqual(made.slice(3));
    expect(await states()).toEqual({ due: 5 });
  });

  it.each([
    ['0: none', 0],
    ['null: the one of the installation, none here', null],
  ])('%s', async (_, limit) => {
    const { add, claim } = await aTenant(limit);
    for (let recordId = 1; recordId <= 5; recordId += 1) await add(0, recordId);
    expect(await claim()).toHaveLength(5);
    const { rows } = await database.pool.query(
      'SELECT FROM threshold_use u JOIN tenants t ON t.id = u.tenant_id WHERE t.callout_threshold = 0',
    );
    expect(rows).toEqual([]);
  });

  it('counts an hour of 3,600 seconds, the present one included', async () => {
    const { add, claim, release, pass } = await aTenant(1);
    await add(0, 1);
    await add(0, 2);
    expect(await claim()).toHaveLength(1);
    // The test itself takes some time: it may not take more than these.
    await pass(hourS - 30);
    expect(await release()).toEqual([]);
    await pass(30);
    expect(await release()).toHaveLength(1);
  });

  it('does not count retries, redeliveries, tests and deactivation calls', async () => {
    const { tenantId, keys, add, claim, settle } = await aTenant(2);
    await add(0, 1);
    await settle(await claim(), { kind: 'retry', waitMs: 0 });
    await settle(await claim(), { kind: 'retry', waitMs: 0 });
    for (const change of ["kind = 'test'", "kind = 'deactivation'", 'is_redelivery = true']) {
      const id = await add(0, 2 + change.length);
      await database.pool.query(`UPDATE open_callouts SET ${change} WHERE callout_id = $1`, [id]);
    }
    expect(await claim(100, keys)).toHaveLength(4);
    const { rows } = await database.pool.query('SELECT used FROM threshold_windows WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ used: 1 }]);
  });

  it('does not count a call that was put off, however often, and counts it when it is made', async () => {
    const { tenantId, add, claim, settle } = await aTenant(2, 1);
    await add(0, 1);
    for (let round = 0; round < 5; round += 1) {
      const [callout] = await claim();
      if (!callout) throw new Error('it was held');
      await putOffCallout(database.pool, callout, 0);
    }
    await settle(await claim());
    for (const recordId of [2, 3]) await add(0, recordId);
    expect(await claim()).toHaveLength(1);
    const { rows } = await database.pool.query(
      `SELECT used, (SELECT sum(used)::int FROM threshold_use WHERE tenant_id = $1) AS seconds
       FROM threshold_windows WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ used: 2, seconds: 2 }]);
  });

  it('gives back what it released and was put off', async () => {
    const { tenantId, add, claim, release, pass } = await aTenant(1, 1);
    for (const recordId of [1, 2]) await add(0, recordId);
    await claim();
    await pass(hourS);
    const [callout] = await release();
    if (!callout) throw new Error('nothing was released');
    await putOffCallout(database.pool, callout, 0);
    const { rows } = await database.pool.query('SELECT used FROM threshold_windows WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ used: 0 }]);
  });

  it('is taken from by claims that share some tenants, while seconds leave the hour', async () => {
    const tenantIds: number[] = [];
    for (let n = 0; n < 40; n += 1) tenantIds.push(await insertTenant(database.pool));
    const takeFor = (from: number) =>
      takeFirstAttempts(
        database.pool,
        tenantIds.slice(from).map((tenantId) => ({
          id: 'x',
          webhookKey: 1,
          leaseOwner: 'l',
          tenantId,
          entityType: 'Account',
          limit: 1_000,
        })),
      );
    await takeFor(0);
    for (let round = 0; round < 20; round += 1) {
      await database.pool.query(
        `WITH past AS (
           INSERT INTO threshold_use SELECT id, 'Account', date_trunc('second', now()) - interval '2 hours', 1
           FROM unnest($1::int[]) AS id)
         UPDATE threshold_windows SET used = used + 1 WHERE tenant_id = ANY($1)`,
        [tenantIds],
      );
      await Promise.all([0, 10, 20, 30].map(takeFor));
    }
    const { rows } = await database.pool.query(
      'SELECT used, count(*)::int FROM threshold_windows WHERE tenant_id = ANY($1) GROUP BY used ORDER BY used',
      [tenantIds],
    );
    expect(rows).toEqual([1, 2, 3, 4].map((takers) => ({ used: takers * 20 + 1, count: 10 })));
  });

  it('lets no new callout overtake those that are held', async () => {
    const { add, claim, release, pass } = await aTenant(1);
    const [first, second] = [await add(0, 1), await add(0, 2)];
    expect(idsOf(await claim())).toEqual([first]);
    await pass(hourS);
    const third = await add(1, 3);
    expect(await claim()).toEqual([]);
    expect(idsOf(await release())).toEqual([second]);
    await pass(hourS);
    expect(idsOf(await release())).toEqual([third]);
  });

  it('passes over a webhook that has no free place, and one whose receiver is paused', async () => {
    const { keys, add, claim, release, pass } = await aTenant(1, 3);
    await add(0, 9);
    await claim();
    const made = [await add(0, 1), await add(1, 2), await add(2, 3)];
    await claim();
    await pass(hourS);
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() + interval '1 hour')",
      [keys[0]],
    );
    expect(await release((webhookKey) => (webhookKey === keys[1] ? 0 : 1))).toEqual([]);
    // The oldest that may go is the second one's: it is not the third's turn.
    expect(idsOf(await release())).toEqual([made[1]]);
  });

  it('asks a paused receiver with one held callout when its pause is over', async () => {
    const { keys, add, claim, release, pass } = await aTenant(1, 1);
    await add(0, 9);
    await claim();
    const [first] = [await add(0, 1), await add(0, 2)];
    await claim();
    await pass(hourS);
    await database.pool.query('UPDATE tenants SET callout_threshold = 10');
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() - interval '1 second')",
      [keys[0]],
    );
    const released = await release();
    expect(idsOf(released)).toEqual([first]);
    const { rows } = await database.pool.query('SELECT probe_lease FROM webhook_health WHERE webhook_key = $1', keys);
    expect(rows).toEqual([{ probe_lease: released[0]?.leaseOwner }]);
    expect(await release()).toEqual([]);
  });

  it('sends each of its mails once per episode, to the webhooks that had a callout held', async () => {
    const { add, claim, release, pass, mails } = await aTenant(1, 3);
    const episode = async () => {
      for (const recordId of [1, 2, 3]) await add(0, recordId * 10 + Math.trunc(Math.random() * 1e6) * 100);
      await claim();
      await add(1, 4 + Math.trunc(Math.random() * 1e6) * 100);
      await claim();
      await pass(hourS);
      await release();
      for (let round = 0; round < 3; round += 1) {
        await pass(hourS);
        await release();
      }
    };
    await episode();
    const once = ['thresholdExceeded 0', 'thresholdExceeded 1', 'caughtUp 0', 'caughtUp 1'];
    expect(await mails()).toEqual(once);
    await pass(hourS);
    await episode();
    expect(await mails()).toEqual([...once, ...once]);
  });

  it('ends an episode whose held callouts were cancelled', async () => {
    const { tenantId, add, claim, release, mails } = await aTenant(1, 1);
    for (const recordId of [1, 2]) await add(0, recordId);
    await claim();
    await database.pool.query("DELETE FROM open_callouts WHERE tenant_id = $1 AND state = 'held'", [tenantId]);
    expect(await release()).toEqual([]);
    expect(await mails()).toEqual(['thresholdExceeded 0', 'caughtUp 0']);
  });

  it('is exact under several workers: a model', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('add' as const),
          webhook: fc.nat(2),
          recordId: fc.integer({ min: 1, max: 6 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('work' as const),
          places: fc.integer({ min: 1, max: 4 }),
          workers: fc.integer({ min: 1, max: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(900, 1_800, 3_600) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 10, maxLength: 40 }),
        async (limit, steps) => {
          const { add, claim, release, settle, pass, states } = await aTenant(limit, 3);
          /** When each first attempt began, in seconds of this world. */
          const begun: number[] = [];
          let nowS = 0;
          const made: string[] = [];
          const sent: string[] = [];
          const work = async (places: number, workers: number): Promise<void> => {
            const rounds = await Promise.all(
              Array.from({ length: workers }, async () => [...(await claim(places)), ...(await release(() => places))]),
            );
            const callouts = rounds.flat();
            begun.push(...callouts.map(() => nowS));
            sent.push(...idsOf(callouts));
            await settle(callouts);
          };
          for (const one of steps) {
            if (one.kind === 'add') made.push(await add(one.webhook, one.recordId));
            if (one.kind === 'work') await work(one.places, one.workers);
            if (one.kind === 'pass') {
              nowS += one.seconds;
              await pass(one.seconds);
            }
          }
          while (Object.keys(await states()).length > 0) {
            await work(100, 2);
            nowS += 1_200;
            await pass(1_200);
          }
          expect(sent.toSorted()).toEqual(made.toSorted());
          for (const endS of begun) {
            const inTheHour = begun.filter((atS) => atS > endS - hourS && atS <= endS);
            expect(inTheHour.length).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});
