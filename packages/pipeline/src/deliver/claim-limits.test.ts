import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statements } from '@callout/database/connection/statement/statement';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { newId } from '@callout/database/schema/ids';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { claimRules, delivered, failed } from '../fixtures/callouts.ts';
import { storeTest } from '../repair/test-callout.ts';
import { clearRatesAhead, endCalls } from '../limits/limited-calls.ts';
import { callsAllowed, nextCallAfter } from '../limits/rate.rules.ts';
import { webhooksWithDueCallouts } from '../sweep/find-due.ts';
import { claimDueCallouts, rescheduleCallout, type RateGate } from './claim.ts';

const database = useDatabase(createDisposableDatabase);

interface Limits {
  perSecond: number | null;
  atOnce: number | null;
}

/** A tenant whose webhooks limit their calls, with a number of due callouts of each. */
async function aTenantWithLimits(limits: Limits, { due = 0, webhooks = 1 } = {}) {
  const tenant = await aTenantWithCallouts(database, { webhooks });
  const set = ({ perSecond, atOnce }: Limits) =>
    database.pool.query(
      'UPDATE webhooks SET max_calls_per_second = $2, max_concurrent_calls = $3 WHERE tenant_id = $1',
      [tenant.tenantId, perSecond, atOnce],
    );
  await set(limits);
  for (let webhook = 0; webhook < webhooks; webhook += 1) {
    for (let recordId = 1; recordId <= due; recordId += 1) await tenant.add(recordId, webhook);
  }
  return { ...tenant, set };
}

/** Moves the time of the next calls into the past. */
const pass = (ms: number) =>
  database.pool.query("UPDATE webhook_rates SET next_call_at = next_call_at - $1 * interval '1 millisecond'", [ms]);

describe('maxCallsPerSecond', () => {
  it('lets the first call begin at once and the next ones at their times, retries too', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 0.5, atOnce: null }, { due: 3 });
    const [first, ...others] = await tenant.claim();
    expect(others).toEqual([]);
    expect(await tenant.claim()).toEqual([]);
    await pass(2_000);
    expect(await tenant.claim()).toHaveLength(1);
    if (first) await tenant.settle([first], { kind: 'retry', waitMs: 0 });
    expect(await tenant.claim()).toEqual([]);
    await pass(2_000);
    expect(await tenant.claim()).toMatchObject([{ attemptsMade: 0 }]);
    await pass(2_000);
    expect(await tenant.claim()).toMatchObject([{ id: first?.id, attemptsMade: 1 }]);
  });

  it('is not used up by a worker with fewer slots, or by callouts that are not there', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 10, atOnce: null }, { due: 5 });
    await tenant.claim(1);
    await pass(600);
    expect(await tenant.claim(2)).toHaveLength(2);
    expect(await tenant.claim()).toHaveLength(2);
    await tenant.add(9);
    expect(await tenant.claim()).toHaveLength(1);
  });

  it('does not delay tests and deactivation calls, nor count them', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 0.1, atOnce: 1 }, { due: 2 });
    expect(await tenant.claim()).toHaveLength(1);
    const webhook = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    await storeTest({ database, enqueueDeliver: () => undefined }, webhook, { action: 'Update', bodyOf: () => '{}' });
    const claimed = await tenant.claim();
    expect(claimed.map(({ kind, holdsPlace }) => ({ kind, holdsPlace }))).toEqual([
      { kind: 'test', holdsPlace: false },
    ]);
  });

  it('also spaces the calls that find out whether a receiver is back', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 0.1, atOnce: null }, { due: 2 });
    await tenant.claim();
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() - interval '1 second')",
      [tenant.keys[0]],
    );
    expect(await tenant.claim()).toEqual([]);
    await pass(10_000);
    expect(await tenant.claim()).toHaveLength(1);
  });

  it('says what the claim found: who has to look again, and when', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 2, atOnce: null }, { due: 2 });
    const found: RateGate[] = [];
    const claim = () =>
      claimDueCallouts(database.pool, [{ webhookKey: tenant.keys[0] ?? 0, slots: 10 }], {
        ...claimRules,
        onGates: (gates) => found.push(...gates),
      });
    await claim();
    await claim();
    expect(found.map(({ gate }) => gate)).toEqual(['taken', 'closed']);
    for (const { opensInMs } of found) {
      expect(opensInMs).toBeGreaterThan(0);
      expect(opensInMs).toBeLessThanOrEqual(500);
    }
    await database.pool.query("UPDATE webhook_rates SET next_call_at = now() - interval '1 minute'");
    await inTransaction(database.pool, async (transaction) => {
      await transaction.query('SELECT FROM webhook_rates FOR UPDATE');
      await claim();
    });
    expect(found.at(-1)).toMatchObject({ gate: 'locked' });
    await claim();
    await claim();
    expect(found.slice(-2).map(({ gate }) => gate)).toEqual(['taken', 'open']);
  });

  it('does not count calls that were not made', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 0.1, atOnce: null }, { due: 2 });
    const [one] = await tenant.claim();
    expect(one?.isRated).toBe(true);
    if (one) await rescheduleCallout(database.pool, one, 0);
    expect(await tenant.claim()).toHaveLength(1);
    expect(await tenant.claim()).toEqual([]);
  });

  it.each([0.1, 2, 1_000])(
    'of %d makes no call wait long when the clock of PostgreSQL is set back',
    async (perSecond) => {
      const tenant = await aTenantWithLimits({ perSecond, atOnce: null }, { due: 2 });
      expect(await tenant.claim(1)).toHaveLength(1);
      expect(await clearRatesAhead(database.pool)).not.toContain(tenant.keys[0]);
      await pass(-60_000);
      expect(await tenant.claim()).toEqual([]);
      expect(await clearRatesAhead(database.pool)).toContain(tenant.keys[0]);
      expect(await tenant.claim()).toHaveLength(1);
    },
  );

  it('keeps the sweep away until the next call may begin', async () => {
    const tenant = await aTenantWithLimits({ perSecond: 0.1, atOnce: null }, { due: 2 });
    const [webhookKey = 0] = tenant.keys;
    const swept = async () => (await webhooksWithDueCallouts(database.pool, webhookKey - 1, 1)).includes(webhookKey);
    expect(await swept()).toBe(true);
    await tenant.claim();
    expect(await swept()).toBe(false);
    await pass(10_000);
    expect(await swept()).toBe(true);
  });
});

describe('maxConcurrentCalls', () => {
  it('is not exceeded by claims of many workers at once', async () => {
    const tenant = await aTenantWithLimits({ perSecond: null, atOnce: 5 }, { due: 40, webhooks: 2 });
    for (let round = 0; round < 6; round += 1) {
      const claims = await Promise.all(Array.from({ length: 8 }, () => tenant.claim(3)));
      const claimed = claims.flat();
      for (const key of tenant.keys) {
        expect(claimed.filter(({ webhookKey }) => webhookKey === key).length).toBeLessThanOrEqual(5);
      }
      for (const key of tenant.keys) {
        const late = await tenant.claim(100);
        claimed.push(...late);
        expect(claimed.filter(({ webhookKey }) => webhookKey === key)).toHaveLength(5);
      }
      await tenant.settle(claimed, delivered);
      expect(await tenant.claim()).toEqual([]);
      await endCalls(database.pool, claimed);
    }
  });

  it('without a rate waits for no time either when the clock of PostgreSQL is set back', async () => {
    const tenant = await aTenantWithLimits({ perSecond: null, atOnce: 5 }, { due: 2 });
    expect(await tenant.claim(1)).toHaveLength(1);
    await pass(-60_000);
    expect(await tenant.claim()).toEqual([]);
    expect(await clearRatesAhead(database.pool)).toContain(tenant.keys[0]);
    expect(await tenant.claim()).toHaveLength(1);
  });

  it('is given back by calls that fail, and by the leases of workers that died', async () => {
    const tenant = await aTenantWithLimits({ perSecond: null, atOnce: 2 }, { due: 4 });
    const [one, other] = await tenant.claim();
    expect(await tenant.claim()).toEqual([]);
    if (one) {
      await tenant.settle([one], failed);
      await endCalls(database.pool, [one]);
    }
    const [third, ...none] = await tenant.claim();
    expect([third?.holdsPlace, none]).toEqual([true, []]);
    for (const table of ['open_callouts', 'limited_calls']) {
      const past = "UPDATE %s SET lease_until = now() - interval '1 second' WHERE callout_id = $1".replace('%s', table);
      await database.pool.query(past, [other?.id]);
    }
    const [again] = await tenant.claim();
    expect(again?.id).toBe(other?.id);
    // What the first worker says, late, is about its own lease.
    if (other) await endCalls(database.pool, [other]);
    expect(await tenant.claim()).toEqual([]);
  });

  it('does not count what the threshold holds', async () => {
    const tenant = await aTenantWithLimits({ perSecond: null, atOnce: 2 }, { due: 4 });
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [tenant.tenantId]);
    expect(await tenant.claim()).toHaveLength(1);
    const { rows } = await database.pool.query('SELECT webhook_key FROM limited_calls WHERE webhook_key = $1', [
      tenant.keys[0],
    ]);
    expect(rows).toHaveLength(1);
  });
});

it('a claim decides as the rule does, whatever is due', async () => {
  const tenant = await aTenantWithLimits({ perSecond: null, atOnce: null });
  const [webhookKey = 0] = tenant.keys;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        perSecond: fc.option(fc.double({ min: 0.1, max: 1_000, noNaN: true })),
        atOnce: fc.option(fc.integer({ min: 1, max: 20 })),
        underWay: fc.nat(25),
        due: fc.nat(30),
        dueLater: fc.nat(3),
        slots: fc.integer({ min: 1, max: 30 }),
        openForMs: fc.integer({ min: -20_000, max: 20_000 }),
      }),
      async ({ perSecond, atOnce, underWay, due, dueLater, slots, openForMs }) => {
        fc.pre(perSecond !== null || atOnce !== null);
        await tenant.set({ perSecond, atOnce });
        await inTransaction(database.pool, async (transaction) => {
          const { rows: clock } = await transaction.query<{ now: Date; next: Date }>(
            `SELECT now(), now() - $1 * interval '1 millisecond' AS next`,
            [openForMs],
          );
          const { now, next } = clock[0] ?? { now: new Date(), next: new Date() };
          await transaction.query(
            `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action,
               sequence_number, state, due_at)
             SELECT gen_random_uuid(), $1, $2, 'Account', n, 'Update', n, 'due',
               now() + CASE WHEN n > $3 THEN 1 ELSE -1 END * interval '1 hour' FROM generate_series(1, $3 + $4::int) AS n`,
            [tenant.tenantId, webhookKey, due, dueLater],
          );
          await transaction.query(
            `INSERT INTO limited_calls SELECT $1, gen_random_uuid(), gen_random_uuid(), now() + interval '1 hour'
             FROM generate_series(1, $2)`,
            [webhookKey, underWay],
          );
          await transaction.query(
            `INSERT INTO webhook_rates VALUES ($1, now() - $2 * interval '1 millisecond')
             ON CONFLICT (webhook_key) DO UPDATE SET next_call_at = EXCLUDED.next_call_at`,
            [webhookKey, openForMs],
          );
          const claim = {
            text: statements.get('delivery_claim') ?? '',
            values: [[webhookKey], [slots], newId(), 60_000],
          };
          const { rows } = await transaction.query<{ id: string | null }>(claim);
          const claimed = rows.filter(({ id }) => id !== null).length;
          const state = { nextCallAt: next, underWay };
          const expected = Math.min(due, callsAllowed({ perSecond, atOnce }, state, now, slots));
          // The rule has whole milliseconds, the database microseconds.
          const slack = Math.ceil((perSecond ?? 0) / 1_000);
          expect(Math.abs(claimed - expected)).toBeLessThanOrEqual(slack);
          const { rows: after } = await transaction.query<{ nextCallAt: Date; places: number }>(
            `SELECT next_call_at AS "nextCallAt", (SELECT count(*) FROM limited_calls WHERE webhook_key = $1) AS places
             FROM webhook_rates WHERE webhook_key = $1`,
            [webhookKey],
          );
          const left = claimed === 0 ? next : nextCallAfter({ perSecond, atOnce }, next, now, claimed);
          expect(Math.abs((after[0]?.nextCallAt.getTime() ?? 0) - left.getTime())).toBeLessThanOrEqual(2);
          expect(after[0]?.places).toBe(underWay + (atOnce === null ? 0 : claimed));
          await transaction.query('ROLLBACK');
          await transaction.query('BEGIN');
        });
      },
    ),
    { numRuns: 60 },
  );
});
