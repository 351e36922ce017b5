import { beforeEach, describe, expect, it } from '@jest/globals';
import { retryOneNow, retryRangeNow, releaseRecovered } from './retry-now.ts';
import type { Settlement } from '../settle/settlement.rules.ts';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimDueCallouts } from '../deliver/claim.ts';
import { claimRules, delivered, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { settleAttempts } from '../settle/settle.ts';
import { anyCallout, useRepairs, type Target } from './ended-callouts.fixture.ts';

const setup = useRepairs(createDisposableDatabase);
let target: Target;

beforeEach(async () => {
  await setup.database.pool.query('TRUNCATE recovered_webhooks, webhook_health, open_callouts');
  target = await setup.makeWebhook();
  setup.enqueued.length = 0;
});

const inAnHour: Settlement['next'] = { kind: 'retry', waitMs: 3_600_000 };
const down = { signal: 'down', problem: 'The receiver answered 503.' } as const;
const query = (text: string, values: unknown[] = []) => setup.database.pool.query(text, values);
const retried = (range = {}) => retryRangeNow(setup.deps, target.address, { ...anyCallout, ...range });
const retryNow = async (range = {}) => (await retried(range)).queued;

/** The receiver fails for all due callouts; all of them are retried in an hour. */
async function failAll(): Promise<void> {
  const claimed = await target.claim();
  await settleAttempts(
    setup.database.pool,
    claimed.map((callout) => settlementOf(callout, inAnHour, down)),
    settleRules,
  );
}

/** One more callout of record 99 is delivered, or failed. */
async function oneMore(next: Settlement['next'], change: Partial<Settlement> = {}): Promise<void> {
  await target.make(99);
  const claimed = await target.claim();
  expect(claimed.map(({ recordId }) => recordId)).toEqual([99]);
  await settleAttempts(
    setup.database.pool,
    claimed.map((callout) => settlementOf(callout, next, change)),
    settleRules,
  );
}

/** A callout without a record. Returns its id. */
async function makeOf(kind: 'test' | 'deactivation'): Promise<string> {
  const [id = ''] = await target.make(100);
  await query('UPDATE callouts SET kind = $2 WHERE id = $1', [id, kind]);
  const recordId = kind === 'test' ? 0 : -1;
  await query('UPDATE open_callouts SET kind = $2, record_id = $3 WHERE callout_id = $1', [id, kind, recordId]);
  return id;
}

const failingSince = (minutes: number) =>
  query(`UPDATE webhook_health SET failing_since = now() - $2 * interval '1 minute' WHERE webhook_key = $1`, [
    target.key,
    minutes,
  ]);
const release = () => releaseRecovered(setup.database.pool, { atMost: 10, isStopping: () => false });
const marked = async () => (await query('SELECT FROM recovered_webhooks')).rowCount;

describe('retryRangeNow', () => {
  it('sends callouts that wait for their next attempt, in the order of each record, and counts the attempt', async () => {
    await target.make(1, 1, 2);
    await failAll();
    expect(await target.claim()).toEqual([]);
    expect(await retryNow()).toBe(2);
    expect(setup.enqueued).toEqual([target.key]);
    const claimed = await target.claim();
    expect(claimed.map(({ sequenceNumber, attemptsMade }) => [sequenceNumber, attemptsMade])).toEqual([
      [1, 1],
      [3, 1],
    ]);
    await target.settle(claimed, delivered);
    expect(await target.deliverAll(delivered)).toEqual([2]);
    expect(await retryNow()).toBe(0);
  });

  it('counts the callouts that follow as those end', async () => {
    await target.make(1, 1, 1, 2, 3, 3);
    await failAll();
    expect(await retried({ recordId: 1 })).toEqual({ queued: 1, following: 2 });
    expect(await retried()).toEqual({ queued: 2, following: 1 });
    expect(await retried()).toEqual({ queued: 0, following: 0 });
  });

  it('leaves alone callouts that are being sent, held, behind another, or out of range', async () => {
    await target.make(1, 1, 2, 3);
    await failAll();
    await target.make(4);
    expect(await target.claim()).toHaveLength(1);
    await query("UPDATE open_callouts SET state = 'held' WHERE webhook_key = $1 AND record_id = 3", [target.key]);
    expect(await retryNow({ states: ['waiting', 'held'] })).toBe(0);
    expect(await retryNow({ fromSequence: 3 })).toBe(1);
    const [first] = await target.look();
    expect(await retryNow({ ids: [first?.id], actions: ['Delete'] })).toBe(0);
    expect(await retryNow({ ids: [first?.id], recordId: 1 })).toBe(1);
    expect(await target.open()).toEqual(['1/1 due', '1/2 waiting', '2/3 due', '3/4 held', '4/5 due']);
    expect((await target.look()).map(({ isLeased }) => isLeased)).toEqual([false, false, false, false, true]);
  });

  it('calls a paused receiver at once, with one callout', async () => {
    await target.make(...Array.from({ length: 12 }, (_, nth) => nth + 1));
    await failAll();
    await query('UPDATE open_callouts SET due_at = now() WHERE record_id <= 2');
    expect(await target.claim()).toEqual([]);
    expect(await retryNow()).toBe(12);
    const [probe, ...others] = await target.claim();
    expect([probe?.sequenceNumber, others]).toEqual([1, []]);
    // It is under way: a second request does not start another.
    expect(await retryNow()).toBe(11);
    expect(await target.claim()).toEqual([]);
  });

  it('processes many callouts in parts, each of them once', async () => {
    await query(
      `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
         sequence_number, state, due_at, attempts_made)
       SELECT gen_random_uuid(), $2, $1, 'Account', n % 1400 + 1, 'Update', '', n, CASE WHEN n < 1400 THEN 'due' ELSE 'waiting' END,
         now() + interval '1 hour', 1 FROM generate_series(0, 2999) AS n`,
      [target.key, target.tenantId],
    );
    expect(await retryNow()).toBe(1_400);
    const { rows } = await query('SELECT count(*) AS later FROM open_callouts WHERE due_at > now()');
    expect(rows).toEqual([{ later: 1_600 }]);
  });

  it('refuses an inactive webhook, and does not find a missing one', async () => {
    await expect(retryRangeNow(setup.deps, { ...target.address, id: 2 }, anyCallout)).rejects.toMatchObject({
      kind: 'notFound',
    });
    await query('UPDATE webhooks SET is_active = false WHERE key = $1', [target.key]);
    await expect(retryNow()).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('retryOneNow', () => {
  const one = async (id: string) => (await retryOneNow(setup.deps, target.callout(id))).queued;

  it('sends one callout, unless it waits for something other than its next attempt', async () => {
    const [first = '', second = ''] = await target.make(1, 1, 2);
    await failAll();
    expect([await one(second), await one(first), await one(first)]).toEqual([0, 1, 0]);
    expect((await target.claim()).map(({ sequenceNumber }) => sequenceNumber)).toEqual([1]);
  });

  it('sends the deactivation call of an inactive webhook, and no test', async () => {
    const [call, test] = [await makeOf('deactivation'), await makeOf('test')];
    await query("UPDATE open_callouts SET due_at = now() + interval '1 hour'");
    await query('UPDATE webhooks SET is_active = false WHERE key = $1', [target.key]);
    expect([await one(call), await one(call)]).toEqual([1, 0]);
    await expect(one(test)).rejects.toMatchObject({ kind: 'conflict' });
    const claimed = await claimDueCallouts(setup.database.pool, [{ webhookKey: target.key, slots: 5 }], claimRules);
    expect(claimed.map(({ kind }) => kind)).toEqual(['deactivation']);
  });
});

describe('a webhook that has recovered', () => {
  it('sends the callouts that wait for their next attempt, after it was failing', async () => {
    await target.make(1, 2, 2, 3);
    await failAll();
    await failingSince(6);
    await oneMore(delivered);
    expect(await target.claim()).toEqual([]);
    expect(await release()).toEqual(new Map([[target.key, 3]]));
    expect(await marked()).toBe(0);
    expect(await target.deliverAll(delivered)).toEqual([1, 2, 4, 3]);
  });

  it('sends them after a pause, also when a test ended it', async () => {
    await target.make(...Array.from({ length: 10 }, (_, nth) => nth + 1));
    await failAll();
    const settleTest = async (change: Partial<Settlement>) => {
      await makeOf('test');
      const claimed = await target.claim();
      expect(claimed.map(({ kind }) => kind)).toEqual(['test']);
      await settleAttempts(
        setup.database.pool,
        claimed.map((callout) => settlementOf(callout, delivered, change)),
        settleRules,
      );
    };
    await settleTest({ ...down, next: { kind: 'ended', state: 'failed', isGone: false } });
    expect(await marked()).toBe(0);
    await settleTest({});
    expect(await release()).toEqual(new Map([[target.key, 10]]));
    expect(await target.claim()).toHaveLength(10);
  });

  it('keeps the times of next attempts where it rejected single callouts, or nothing waits', async () => {
    await target.make(1);
    await failAll();
    await oneMore(delivered);
    expect(await marked()).toBe(0);
    await oneMore(inAnHour, down);
    await query('DELETE FROM open_callouts');
    await failingSince(6);
    await oneMore(delivered);
    expect(await marked()).toBe(0);
  });

  it('is processed again when its release was interrupted, or it has recovered once more since', async () => {
    await target.make(1);
    await failAll();
    await failingSince(6);
    await oneMore(delivered);
    expect(await releaseRecovered(setup.database.pool, { atMost: 10, isStopping: () => true })).toEqual(new Map());
    expect(await marked()).toBe(1);
    expect(await release()).toEqual(new Map([[target.key, 1]]));
  });
});
