import { byResource } from '@callout/domain/changes/actor';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { redeliverRange } from '../repair/redeliver.ts';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, failed } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { rules } from '@callout/webhooks/activation-rules.fixture';
import { updateWebhook } from '@callout/webhooks/webhook-changes';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { cancelOpenCallouts, webhooksToCancel } from '../deactivate/cancel.ts';
import type { Settlement } from './settlement.rules.ts';

const database = useDatabase(createDisposableDatabase);
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
});

const gone: Settlement['next'] = { kind: 'ended', state: 'failed', isGone: true };
const rejected = { signal: 'rejected', problem: 'The receiver answered 400.' } as const;

/** Callouts of this number of records, each failed. */
async function fail(count: number, next: Settlement['next'] = failed): Promise<void> {
  for (let n = 0; n < count; n += 1) await tenant.add(1_000 + n);
  await tenant.settle(await tenant.claim(), next, rejected);
}

async function isActive(): Promise<boolean | undefined> {
  const { rows } = await database.pool.query<{ active: boolean }>(
    'SELECT is_active AS active FROM webhooks WHERE key = $1',
    tenant.keys,
  );
  return rows[0]?.active;
}

async function errorLogs() {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `SELECT webhook_id, owner_resource_id, entity_type, sequence_number, error_message, payload
     FROM webhook_event_error_logs WHERE tenant_id = $1 ORDER BY id`,
    [tenant.tenantId],
  );
  return rows;
}

/** Cancels as a worker does within a second. */
async function cancelAll(): Promise<void> {
  for (const key of await webhooksToCancel(database.pool, 100)) {
    await cancelOpenCallouts(database.pool, key, () => false);
  }
}

async function openKinds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ kind: string }>(
    'SELECT kind FROM open_callouts WHERE webhook_key = $1 ORDER BY sequence_number',
    tenant.keys,
  );
  return rows.map(({ kind }) => kind);
}

describe('callouts with long bodies that fail together', () => {
  it('are stored in several transactions, so that not all bodies are read at once', async () => {
    for (let n = 0; n < 10; n += 1) await tenant.add(1_000 + n, 0, JSON.stringify('x'.repeat(1024 * 1024 - 2)));
    await tenant.settle(await tenant.claim(), failed, rejected);
    const { rows } = await database.pool.query<{ logs: number }>(
      `SELECT count(*) AS logs FROM webhook_event_error_logs WHERE tenant_id = $1
       GROUP BY xmin ORDER BY min(sequence_number)`,
      [tenant.tenantId],
    );
    expect(rows.map(({ logs }) => logs)).toEqual([4, 4, 2]);
  });
});

describe('a callout that used up its attempts', () => {
  it('is stored in the error log, and its owner gets a mail', async () => {
    await fail(1);
    expect(await errorLogs()).toEqual([
      {
        webhook_id: 1,
        owner_resource_id: 1,
        entity_type: 'Account',
        sequence_number: 1,
        error_message: 'Attempt 1 failed: The receiver answered 400. The answer is not text.',
        payload: '{}',
      },
    ]);
    expect(await tenant.mails()).toEqual(['error']);
  });

  it('causes one mail a day, however many there are', async () => {
    await fail(12);
    await fail(12);
    expect(await errorLogs()).toHaveLength(24);
    expect(await tenant.mails()).toEqual(['error']);
    await database.pool.query(
      "UPDATE notifications SET created_at = now() - interval '25 hours' WHERE tenant_id = $1",
      [tenant.tenantId],
    );
    await tenant.add(1);
    await tenant.settle(await tenant.claim(), delivered);
    await fail(1);
    expect(await tenant.mails()).toEqual(['error', 'error']);
  });

  it('causes another mail when it was redelivered and fails on another day', async () => {
    await fail(1);
    await database.pool.query(
      "UPDATE notifications SET created_at = now() - interval '25 hours' WHERE tenant_id = $1",
      [tenant.tenantId],
    );
    const webhook = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    const all = { since: null, until: null, states: null, fromSequence: null, toSequence: null };
    expect(await redeliverRange({ database, enqueueDeliver: () => undefined }, webhook, all)).toMatchObject({
      queued: 1,
    });
    await tenant.settle(await tenant.claim(), failed, rejected);
    expect(await tenant.mails()).toEqual(['error', 'error']);
  });

  it('is stored with long texts cut to the maximum, in whole characters', async () => {
    const id = await tenant.add(1);
    const body = JSON.stringify({ Fields: { Name: '😀'.repeat(5_000) } });
    await database.pool.query('UPDATE callout_bodies SET body = $2 WHERE callout_id = $1', [id, body]);
    await tenant.settle(await tenant.claim(), failed, { ...rejected, problem: `x${'😀'.repeat(5_000)}` });
    const [log] = await errorLogs();
    for (const text of [log?.['error_message'], log?.['payload']] as string[]) {
      expect(text.length).toBeGreaterThan(7_990);
      expect(text.length).toBeLessThanOrEqual(8_000);
      expect(text).not.toMatch(/[\uD800-\uDBFF]$/u);
    }
  });

  it('deactivates its webhook when it is the 25th in a row, and open callouts are cancelled', async () => {
    await fail(24);
    expect(await isActive()).toBe(true);
    await tenant.add(1);
    await tenant.add(2);
    const [last] = await tenant.claim(1);
    if (!last) throw new Error('nothing was due');
    const { dueWebhookKeys } = await tenant.settle([last], failed, rejected);
    expect(await isActive()).toBe(false);
    expect(dueWebhookKeys).toEqual(tenant.keys);
    await cancelAll();
    expect(await openKinds()).toEqual(['deactivation']);
    expect(await tenant.history()).toEqual(['deactivated repeatedFailure']);
    expect((await tenant.mails()).toSorted()).toEqual(['deactivated', 'error']);
  });

  it('starts a new count after one that was delivered, and after reactivation', async () => {
    await fail(24);
    await tenant.add(1);
    await tenant.settle(await tenant.claim(), delivered);
    await fail(24);
    expect(await isActive()).toBe(true);
    const address = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    for (const active of [false, true])
      await updateWebhook(database, address, { settings: { isActive: active } }, rules, byResource(1));
    await fail(24);
    expect(await isActive()).toBe(true);
  });

  it('does not count when it was redelivered', async () => {
    await fail(24);
    const id = await tenant.add(1);
    await database.pool.query('UPDATE open_callouts SET is_redelivery = true WHERE callout_id = $1', [id]);
    await tenant.settle(await tenant.claim(), failed, rejected);
    expect(await isActive()).toBe(true);
    expect(await errorLogs()).toHaveLength(25);
  });

  it('counts once when two workers settle the last ones at the same time', async () => {
    for (let recordId = 1; recordId <= 30; recordId += 1) await tenant.add(recordId);
    const claimed = await tenant.claim();
    const parts = [claimed.slice(0, 10), claimed.slice(10, 20), claimed.slice(20)];
    await Promise.all(parts.map((part) => tenant.settle(part.toReversed(), failed, rejected)));
    expect(await isActive()).toBe(false);
    expect(await tenant.history()).toEqual(['deactivated repeatedFailure']);
    expect(await openKinds()).toEqual(['deactivation']);
  });
});

describe('a receiver that responds 410', () => {
  it('deactivates its webhook at once, with a mail about that only', async () => {
    for (const recordId of [1, 2, 3]) await tenant.add(recordId);
    const [first] = await tenant.claim(1);
    if (!first) throw new Error('nothing was due');
    await tenant.settle([first], gone, rejected);
    expect(await isActive()).toBe(false);
    expect(await tenant.history()).toEqual(['deactivated gone']);
    expect(await tenant.mails()).toEqual(['deactivated']);
    await cancelAll();
    expect(await openKinds()).toEqual(['deactivation']);
    expect(await errorLogs()).toHaveLength(1);
  });

  it('to a deactivation call changes nothing more', async () => {
    await fail(1, gone);
    const [call] = await tenant.claim();
    expect(call).toMatchObject({ kind: 'deactivation', action: 'Deactivated', recordId: -1 });
    await tenant.settle(call ? [call] : [], gone, rejected);
    expect(await openKinds()).toEqual([]);
    expect(await errorLogs()).toHaveLength(2);
    expect(await tenant.mails()).toEqual(['deactivated']);
    expect(await tenant.history()).toEqual(['deactivated gone']);
  });
});

describe('a test that fails', () => {
  it('changes neither the webhook nor its health, and notifies nobody', async () => {
    const id = await tenant.add(1);
    await database.pool.query("UPDATE open_callouts SET kind = 'test', record_id = 0 WHERE callout_id = $1", [id]);
    await tenant.settle(await tenant.claim(), gone, rejected);
    expect(await openKinds()).toEqual([]);
    expect(await isActive()).toBe(true);
    expect(await errorLogs()).toEqual([]);
    expect(await tenant.mails()).toEqual([]);
    const { rows } = await database.pool.query('SELECT FROM webhook_health WHERE webhook_key = $1', tenant.keys);
    expect(rows).toEqual([]);
  });
});

describe('locks', () => {
  it('are acquired in one order by settle, match, deactivation and activation', async () => {
    tenant = await aTenantWithCallouts(database, { webhooks: 3 });
    const setActive = async (id: number, active: boolean): Promise<void> => {
      await updateWebhook(
        database,
        { tenantId: tenant.tenantId, entityType: 'Account', id },
        { settings: { isActive: active } },
        rules,
        byResource(1),
      );
    };
    for (let round = 0; round < 12; round += 1) {
      for (const webhook of [0, 1, 2]) await tenant.add(1 + (round % 3), webhook);
      const claimed = await tenant.claim();
      const third = Math.ceil(claimed.length / 3);
      await Promise.all([
        tenant.settle(claimed.slice(0, third), round % 5 === 4 ? gone : failed, rejected),
        tenant.settle(claimed.slice(third, 2 * third).toReversed(), { kind: 'retry', waitMs: 0 }, { signal: 'down' }),
        tenant.settle(claimed.slice(2 * third), delivered),
        setActive((round % 3) + 1, false),
        tenant.add(2, 2),
        tenant.add(1, 0),
      ]);
      for (const id of [1, 2, 3]) await setActive(id, true);
    }
    const { rows } = await database.pool.query<{ most: number }>(
      `SELECT coalesce(max(n), 0) AS most FROM (SELECT count(*) AS n FROM open_callouts
       WHERE webhook_key = ANY($1) AND state IN ('due', 'held') GROUP BY webhook_key, record_id) AS due`,
      [tenant.keys],
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(1);
  });
});
