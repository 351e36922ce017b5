import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { eventually } from '@callout/testing';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { aTenantWithCallouts } from '../../fixtures/delivery.ts';
import { delivered } from '../../fixtures/callouts.ts';
import { LeaseRenewal, renewLeases } from './lease-renewal.ts';

const database = useDatabase(createDisposableDatabase);
const hourMs = 3_600_000;
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
});

/** Claims one callout, whose lease lasts a minute. */
async function claimed(recordId = 1): Promise<ClaimedCallout> {
  await tenant.add(recordId);
  const [callout] = await tenant.claim();
  if (callout === undefined) throw new Error('it is due');
  return callout;
}

/** How many rows a condition holds for. */
async function count(from: string): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`);
  return rows[0]?.n ?? 0;
}
const renewed = (callout: ClaimedCallout) =>
  count(`open_callouts WHERE callout_id = '${callout.id}' AND lease_until > now() + interval '50 minutes'`);

describe('a lease', () => {
  it('is extended for the worker that holds it, also when it has ended and nobody else has taken it', async () => {
    const callout = await claimed();
    await database.pool.query("UPDATE open_callouts SET lease_until = now() - interval '1 second'");
    expect(await renewLeases(database.pool, [callout], hourMs)).toEqual([callout.id]);
    expect(await renewed(callout)).toBe(1);
    await tenant.settle([callout], delivered);
    expect(await renewLeases(database.pool, [callout], hourMs)).toEqual([]);
  });

  it('that another worker has taken over stays as it is', async () => {
    const callout = await claimed();
    await database.pool.query("UPDATE open_callouts SET lease_until = now() - interval '1 second'");
    const [again] = await tenant.claim();
    expect(again?.id).toBe(callout.id);
    expect(await renewLeases(database.pool, [callout], hourMs)).toEqual([]);
    expect(await renewed(callout)).toBe(0);
  });

  it('is not waited for while its row is locked: the others are extended', async () => {
    const [locked, other] = [await claimed(1), await claimed(2)];
    await inTransaction(database.pool, async (transaction) => {
      await transaction.query('SELECT FROM open_callouts WHERE callout_id = $1 FOR UPDATE', [locked.id]);
      expect(await renewLeases(database.pool, [locked, other], hourMs)).toEqual([other.id]);
    });
    expect(await renewLeases(database.pool, [locked, other], hourMs)).toHaveLength(2);
  });

  it('takes along the place among the calls of its webhook, and the pause around a probe', async () => {
    await database.pool.query('UPDATE webhooks SET max_concurrent_calls = 1 WHERE key = $1', tenant.keys);
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() - interval '1 second')",
      tenant.keys,
    );
    const callout = await claimed();
    await renewLeases(database.pool, [callout], hourMs);
    expect(await count("limited_calls WHERE lease_until > now() + interval '50 minutes'")).toBe(1);
    expect(await count("webhook_health WHERE paused_until > now() + interval '50 minutes'")).toBe(1);
  });

  it('of a callout that was overtaken while it is sent keeps the earlier one of its record from being due', async () => {
    const overtaken = await claimed();
    await tenant.add(1);
    await database.pool.query("UPDATE open_callouts SET state = 'waiting' WHERE callout_id = $1", [overtaken.id]);
    await database.pool.query(
      "UPDATE open_callouts SET state = 'due', sequence_number = 0, due_at = now() WHERE callout_id <> $1",
      [overtaken.id],
    );
    expect(await renewLeases(database.pool, [overtaken], hourMs)).toEqual([overtaken.id]);
    expect(await tenant.claim()).toEqual([]);
  });
});

describe('the renewal of a worker', () => {
  it('extends the leases of calls under way again and again, until they are over', async () => {
    const leaseMs = 150;
    const callout = { ...(await claimed()), leaseEndsAtMs: performance.now() + leaseMs };
    const rounds: number[] = [];
    const renewal = new LeaseRenewal({
      async renew(callouts) {
        rounds.push(callouts.length);
        if (rounds.length === 1) throw new Error('away');
        return renewLeases(database.pool, callouts, hourMs);
      },
      leaseMs,
      nowMs: () => performance.now(),
      onError: () => undefined,
    });
    renewal.begin(callout);
    await eventually(() => expect(rounds.length).toBeGreaterThan(3));
    expect(await renewed(callout)).toBe(1);
    renewal.end(callout);
    await renewal.stop();
    expect(new Set(rounds)).toEqual(new Set([1]));
  });
});
