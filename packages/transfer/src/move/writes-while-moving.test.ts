import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook, anEvent } from '@callout/database/fixtures/tenant';
import { insertCallout, settleRules } from '@callout/pipeline/fixtures/callouts';
import { pullAll } from '@callout/pipeline/fixtures/pull-all';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createIngestCommit } from '@callout/pipeline/ingest/commit';
import { confirmAddress } from '@callout/pipeline/notify/store/confirmations';
import { deleteExpiredWebhooks, extendLife } from '@callout/pipeline/pull/expiring-webhooks';
import { noteHandedOut, readPullLeases } from '@callout/pipeline/pull/pull-leases';
import { settlePulls } from '@callout/pipeline/pull/settle-pulls';
import { createCalloutRepairs } from '@callout/pipeline/repair/callout-repairs';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { createResourceStore } from '@callout/tenancy/resources';
import { freeze, thaw } from './freeze.ts';
import type { Move, Zone } from './move-context.ts';
import { contentOf } from './two-zones.fixture.ts';

const database = useDatabase(createDisposableDatabase);
const pullRules = { ...settleRules, schedule: { waitsMs: [1_000], jitter: 0 }, userAgent: 'test' };
const nothing = () => undefined;
const token = 'token-of-a-link';
let tenantId: number;
let webhookKey: number;
let ended: string;
let open: string;

beforeAll(() => ensurePartitions(database.pool, new Date()));
beforeEach(async () => {
  const { pool } = database;
  tenantId = await insertTenant(pool);
  webhookKey = await insertWebhook(pool, tenantId, 1);
  ended = await insertCallout(pool, { tenantId, webhookKey, recordId: 1 });
  await pool.query('DELETE FROM open_callouts WHERE callout_id = $1', [ended]);
  await pool.query(`UPDATE callouts SET state = 'failed', finished_at = now() WHERE id = $1`, [ended]);
  open = await insertCallout(pool, { tenantId, webhookKey, recordId: 2 });
  await pool.query(`INSERT INTO counters (tenant_id, collection, next_id) VALUES ($1, 'records:Account', 50)`, [
    tenantId,
  ]);
  await pool.query('DELETE FROM mail_confirmations');
  await pool.query(
    `INSERT INTO mail_confirmations (tenant_id, address, token_hash, expires_at)
     VALUES ($1, 'a@example.com', sha256($2), now() + interval '1 hour')`,
    [tenantId, Buffer.from(token)],
  );
});

const repairs = () => createCalloutRepairs({ pool: database.pool, enqueueDeliver: nothing });
const address = () => ({ tenantId, entityType: 'Account', id: 1 });
const created = () => anEvent({ action: 'Create', recordId: null, expects: 'absent' });

/** All that it has, with its own settings. */
async function look(): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query('SELECT callout_threshold FROM tenants WHERE id = $1', [tenantId]);
  return { ...(await contentOf(database.pool, tenantId)), settings: rows };
}

/** Every way to change data of a tenant, for a caller that was authenticated before. */
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  'an event of a session': async () => {
    const { results } = await createIngestCommit(database.pool)([{ tenantId, events: [created()] }]);
    if (results[0]?.kind === 'moving') throw new Error('moving');
  },
  'a redelivery': () => repairs().redeliverOne({ webhook: address(), calloutId: ended }),
  'a cancellation': () => repairs().cancelOne({ webhook: address(), calloutId: open }),
  'a test call': () => repairs().storeTest(address(), { action: 'Update', body: '{}' }),
  'a fetch with expireSeconds': () => extendLife(database.pool, webhookKey, 60_000),
  'a change of a resource': () =>
    createResourceStore(database).update(
      tenantId,
      1,
      Object.assign(Object.create(null), { email: 'b@example.com' }),
      null,
    ),
  'an operator': () => createAdministration(database).tenants.update(tenantId, { calloutThreshold: 77 }),
  'a link of a mail': () => confirmAddress(database.pool, token),
};

describe('a change that was let in before its tenant was frozen', () => {
  it.each(Object.keys(ways))('is refused when it comes to its commit after that: %s', async (name) => {
    const { pool } = database;
    const before = await look();
    const holder = await pool.connect();
    let change: Promise<unknown> | undefined;
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM tenants WHERE id = $1 FOR UPDATE', [tenantId]);
      for (const table of ['webhooks', 'resources', 'counters', 'mail_confirmations']) {
        await holder.query(`SELECT FROM ${table} WHERE tenant_id = $1 FOR UPDATE`, [tenantId]);
      }
      change = ways[name]?.();
      change?.catch(nothing);
      await waiting();
      await holder.query(`UPDATE tenants SET move_state = 'closed' WHERE id = $1`, [tenantId]);
      await holder.query('UPDATE webhooks SET is_moving = true WHERE tenant_id = $1', [tenantId]);
      await holder.query('COMMIT');
    } finally {
      holder.release();
    }
    await expect(change).rejects.toThrow(/moving|moved to another zone/);
    const { counters: _made, ...after } = await look();
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([table]) => table !== 'counters')));
  });

  it.each(Object.keys(ways))('is done when its tenant is not frozen: %s', async (name) => {
    const before = await look();
    await ways[name]?.();
    expect(await look()).not.toEqual(before);
  });
});

const freezing = (onStep: (step: string) => void = nothing) =>
  freeze(
    {
      source: { pool: database.pool },
      sourceTenantId: tenantId,
      onStep,
      isStopping: () => false,
    } as unknown as Move,
    30_000,
  );

describe('freezing', () => {
  it('waits for a commit that began before, which is complete then', async () => {
    const { pool } = database;
    const commit = createIngestCommit(pool);
    await commit([{ tenantId, events: [anEvent({ recordId: 7 })] }]);
    await pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);
    const holder = await pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM records WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    const taken = commit([{ tenantId, events: [anEvent({ recordId: 7 })] }]);
    await waiting();
    const told: string[] = [];
    await freezing((step) => {
      if (told.includes(step)) return;
      told.push(step);
      if (step.includes('a transaction')) void holder.query('COMMIT').finally(() => holder.release());
      if (step.includes('events')) void pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);
    });
    expect((await taken).results).toMatchObject([{ kind: 'accepted' }]);
    expect(told).toContain('waiting: 1 events are not matched yet');
    const { events } = await contentOf(pool, tenantId);
    expect(events).toHaveLength(2);
  });

  it.each([
    ['freezing', null, 'closed'],
    ['thawing', 'leaving', null],
  ] as const)(
    'waits for a change that has locked a webhook and not written it yet: %s',
    async (doing, before, after) => {
      const { pool } = database;
      await pool.query('UPDATE tenants SET move_state = $2 WHERE id = $1', [tenantId, before]);
      await pool.query('UPDATE webhooks SET is_moving = $2 WHERE key = $1', [webhookKey, before !== null]);
      const change = await pool.connect();
      let done: Promise<void>;
      try {
        await change.query('BEGIN');
        await change.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [webhookKey]);
        const source = { pool } as Zone;
        done = doing === 'freezing' ? freezing() : thaw({ source, sourceTenantId: tenantId });
        done.catch(nothing);
        await waiting();
        // A trigger reads the tenant: neither may wait for the other.
        await change.query(`UPDATE webhooks SET name = 'new', version = version + 1 WHERE key = $1`, [webhookKey]);
        await change.query('COMMIT');
      } finally {
        change.release();
      }
      await done;
      const { rows } = await pool.query(
        'SELECT w.name, w.is_moving, t.move_state FROM webhooks w JOIN tenants t ON t.id = w.tenant_id WHERE key = $1',
        [webhookKey],
      );
      expect(rows).toEqual([{ name: 'new', is_moving: after !== null, move_state: after }]);
    },
  );

  it('gives up when a transaction of another client stays open', async () => {
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_current_xact_id()');
      const move = {
        source: { pool: database.pool },
        sourceTenantId: tenantId,
        onStep: nothing,
        isStopping: () => false,
      };
      await expect(freeze(move as unknown as Move, 1)).rejects.toThrow(/since a transaction of .* is open/);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('leaves an acknowledgement that read its lease before to the zone that the tenant goes to', async () => {
    const { pool } = database;
    await pool.query(
      `UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull', version = version + 1 WHERE key = $1`,
      [webhookKey],
    );
    const claimed = await pullAll(pool, webhookKey);
    const handedOut = await noteHandedOut(pool, claimed);
    const ids = handedOut.map(({ leaseId }) => leaseId);
    const said = (await readPullLeases(pool, webhookKey, ids)).map((lease) => ({
      lease,
      result: { kind: 'acked' as const },
    }));
    expect(said).toHaveLength(1);
    await freezing();
    const before = await contentOf(pool, tenantId);
    expect((await settlePulls(pool, said, pullRules)).outcomes.size).toBe(0);
    expect(await contentOf(pool, tenantId)).toEqual(before);
    // Said again where it is served.
    await pool.query('UPDATE tenants SET move_state = NULL WHERE id = $1', [tenantId]);
    await pool.query('UPDATE webhooks SET is_moving = false WHERE tenant_id = $1', [tenantId]);
    const again = (await readPullLeases(pool, webhookKey, ids)).map((lease) => ({
      lease,
      result: { kind: 'acked' as const },
    }));
    expect([...(await settlePulls(pool, again, pullRules)).outcomes.values()]).toEqual(['acked']);
  });

  it('keeps webhooks that expire meanwhile', async () => {
    await database.pool.query(`UPDATE webhooks SET expires_at = now() - interval '1 second' WHERE key = $1`, [
      webhookKey,
    ]);
    await freezing();
    expect(await deleteExpiredWebhooks(database.pool, 10)).toEqual([]);
    await database.pool.query('UPDATE tenants SET move_state = NULL WHERE id = $1', [tenantId]);
    await database.pool.query('UPDATE webhooks SET is_moving = false WHERE tenant_id = $1', [tenantId]);
    await deleteExpiredWebhooks(database.pool, 10);
    const { rows } = await database.pool.query('SELECT FROM webhooks WHERE key = $1 AND deleted_at IS NOT NULL', [
      webhookKey,
    ]);
    expect(rows).toHaveLength(1);
  });
});

/** Until a statement of another connection waits for a lock. */
async function waiting(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
  throw new Error('no statement waits for a lock');
}
