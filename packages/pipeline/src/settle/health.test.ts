import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { rescheduleCallout } from '../deliver/claim.ts';
import { settleAttempts } from './settle.ts';
import type { Settlement } from './settlement.rules.ts';
import { webhooksWithDueCallouts } from '../sweep/find-due.ts';

const database = useDatabase(createDisposableDatabase);
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
});

const retryNow: Settlement['next'] = { kind: 'retry', waitMs: 0 };
const down = { signal: 'down', problem: 'The receiver answered 503.' } as const;

async function health() {
  const { rows } = await database.pool.query<{
    pauses: number;
    isPaused: boolean;
    downInRow: number;
    lastFailure: string;
  }>(
    `SELECT pauses, coalesce(paused_until > now(), false) AS "isPaused", down_in_row AS "downInRow",
       last_failure AS "lastFailure" FROM webhook_health WHERE webhook_key = $1`,
    tenant.keys,
  );
  return rows[0];
}

async function endPause(): Promise<void> {
  await database.pool.query('UPDATE webhook_health SET paused_until = now() WHERE webhook_key = $1', tenant.keys);
}

/** Ten callouts, each tried once while the receiver is down. */
async function paused(): Promise<string[]> {
  const ids: string[] = [];
  for (let recordId = 1; recordId <= 10; recordId += 1) ids.push(await tenant.add(recordId));
  await tenant.settle(await tenant.claim(), retryNow, down);
  return ids;
}

describe('a webhook', () => {
  it('with a healthy receiver has no row of health', async () => {
    await tenant.add(1);
    await tenant.settle(await tenant.claim(), delivered);
    expect(await health()).toBeUndefined();
    expect(await tenant.history()).toEqual([]);
  });

  it('is paused after ten failures in a row: nothing is claimed, and the sweep skips it', async () => {
    await paused();
    expect(await health()).toEqual({ pauses: 1, isPaused: true, downInRow: 10, lastFailure: down.problem });
    expect(await tenant.claim()).toEqual([]);
    expect(await webhooksWithDueCallouts(database.pool, (tenant.keys[0] ?? 0) - 1, 10)).toEqual([]);
    expect(await tenant.history()).toEqual(['paused receiverDown']);
  });

  it.each([
    ['one by one', 1],
    ['together', 40],
  ])('is not paused by ten failures that have successes among them, stored %s', async (_, perBatch) => {
    for (let recordId = 1; recordId <= 40; recordId += 1) await tenant.add(recordId);
    const results = (await tenant.claim()).map((callout, nth) =>
      nth % 2 === 0 ? settlementOf(callout, retryNow, down) : settlementOf(callout, delivered),
    );
    while (results.length > 0) await settleAttempts(database.pool, results.splice(0, perBatch), settleRules);
    expect(await tenant.history()).toEqual([]);
    expect(await health()).toBeUndefined();
  });

  it('gets its oldest callout as probe when the pause is over, from one worker', async () => {
    const [oldest] = await paused();
    await database.pool.query(
      "UPDATE open_callouts SET due_at = now() - n * interval '1 second' FROM generate_series(1, 1) n",
    );
    await endPause();
    expect(await webhooksWithDueCallouts(database.pool, (tenant.keys[0] ?? 0) - 1, 10)).toEqual(tenant.keys);
    const claims = await Promise.all([tenant.claim(), tenant.claim(), tenant.claim()]);
    expect(claims.flat().map(({ id }) => id)).toEqual([oldest]);
  });

  it('is paused for longer when the probe fails too', async () => {
    await paused();
    await endPause();
    await tenant.settle(await tenant.claim(), retryNow, down);
    expect(await health()).toMatchObject({ pauses: 2, isPaused: true });
    expect(await tenant.history()).toEqual(['paused receiverDown']);
  });

  it('gets all of its callouts once one is delivered', async () => {
    await paused();
    await endPause();
    const { dueWebhookKeys } = await tenant.settle(await tenant.claim(), delivered);
    expect(dueWebhookKeys).toEqual(tenant.keys);
    expect(await health()).toBeUndefined();
    expect(await tenant.claim()).toHaveLength(9);
    expect(await tenant.history()).toEqual(['paused receiverDown', 'resumed receiverAnswered']);
  });

  it('gets a probe later when there was no callout for it', async () => {
    await paused();
    await database.pool.query(
      "UPDATE open_callouts SET due_at = now() + interval '1 hour' WHERE webhook_key = $1",
      tenant.keys,
    );
    await endPause();
    expect(await tenant.claim()).toEqual([]);
    await database.pool.query('UPDATE open_callouts SET due_at = now() WHERE webhook_key = $1', tenant.keys);
    expect(await tenant.claim()).toHaveLength(1);
  });

  it('gets another probe when its probe was rescheduled', async () => {
    await paused();
    await endPause();
    const [probe] = await tenant.claim();
    if (probe === undefined) throw new Error('its receiver is not asked');
    await rescheduleCallout(database.pool, probe, 0);
    expect(await tenant.claim()).toHaveLength(1);
    // The result of the first one does not count any more.
    await rescheduleCallout(database.pool, probe, 0);
    expect(await tenant.claim()).toEqual([]);
  });

  it('that is paused still gets tests and deactivation calls, of which only a delivered test ends the pause', async () => {
    await paused();
    const before = await health();
    for (const [kind, recordId] of [
      ['test', 0],
      ['deactivation', -1],
    ]) {
      const id = await tenant.add(100);
      const become = 'UPDATE open_callouts SET kind = $2, record_id = $3 WHERE callout_id = $1';
      await database.pool.query(become, [id, kind, recordId]);
    }
    const calls = (await tenant.claim()).toSorted((a, b) => a.kind.localeCompare(b.kind));
    expect(calls.map(({ kind }) => kind)).toEqual(['deactivation', 'test']);
    await tenant.settle(calls.slice(0, 1), delivered);
    expect(await health()).toEqual(before);
    await tenant.settle(calls.slice(1), delivered);
    expect(await health()).toBeUndefined();
  });

  it('counts failures from several workers at once, each of them once', async () => {
    for (let recordId = 1; recordId <= 40; recordId += 1) await tenant.add(recordId);
    const claimed = await tenant.claim();
    const parts = [0, 1, 2, 3].map((part) => claimed.slice(part * 10, part * 10 + 10));
    await Promise.all(parts.map((part) => tenant.settle(part.toReversed(), retryNow, down)));
    expect(await health()).toMatchObject({ downInRow: 40, pauses: 1 });
  });
});
