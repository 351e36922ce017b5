import { byOperator, byResource } from '@callout/domain/changes/actor';
import { randomBytes } from 'node:crypto';
import { cancelOne } from '@callout/pipeline/repair/cancel-callouts';
import { redeliverOne } from '@callout/pipeline/repair/redeliver';
import { storeTest } from '@callout/pipeline/repair/test-callout';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { emptyFieldValues } from '@callout/domain/values/values';
import { newId } from '@callout/database/schema/ids';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook, anEvent } from '@callout/database/fixtures/tenant';
import { insertCallout, settleRules } from '@callout/pipeline/fixtures/callouts';
import { pullAll } from '@callout/pipeline/fixtures/pull-all';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { confirmAddress, requestConfirmation } from '@callout/pipeline/notify/store/confirmations';
import { extendLife } from '@callout/pipeline/pull/pulled-webhooks';
import { deleteExpiredWebhooks } from '@callout/webhooks/expired-webhooks';
import { noteHandedOut, readPullLeases } from '@callout/pipeline/pull/pull-leases';
import { settlePulls } from '@callout/pipeline/pull/settle-pulls';
import { removeErrorLog } from '@callout/history/search/tables/error-logs';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { updateResource } from '@callout/tenancy/resource-changes';
import { createDefinition } from '@callout/tenancy/udf-definitions';
import { createChild } from '@callout/webhooks/children';
import { rotateSecret } from '@callout/webhooks/rotate-secret';
import { endWebhook, updateWebhook } from '@callout/webhooks/webhook-changes';
import { freeze } from './gate.ts';
import type { Move } from './move.ts';
import { contentOf } from './two-zones.fixture.ts';

const database = useDatabase(createDisposableDatabase);
const pullRules = { ...settleRules, schedule: { waitsMs: [1_000], jitter: 0 }, userAgent: 'test' };
const nothing = () => undefined;
const token = 'token-of-a-link';
let tenantId: number;
let webhookKey: number;
let credentialId: number;
let errorLogId: number;
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
  await pool.query(`INSERT INTO counters (tenant_id, collection, next_id) SELECT $1, unnest($2::text[]), 50`, [
    tenantId,
    ['Resources', 'UdfDefinitions'],
  ]);
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO credentials (tenant_id, resource_id, user_name, user_name_folded, api_integration_code, secret_hash, role)
     VALUES ($1, 1, 'user ' || $1::int, 'user ' || $1::int, '', '', 'source') RETURNING id`,
    [tenantId],
  );
  credentialId = rows[0]?.id ?? 0;
  errorLogId = Date.now() * 1000;
  await pool.query(
    `INSERT INTO webhook_event_error_logs (id, tenant_id, webhook_guid, webhook_id, owner_resource_id, entity_type,
       sequence_number, error_message, payload)
     SELECT $1, tenant_id, guid, id, 1, entity_type, 1, '', '' FROM webhooks WHERE key = $2`,
    [errorLogId, webhookKey],
  );
  await createIngestCommit(pool)([{ tenantId, events: [changed()] }]);
  await pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);
  await pool.query('DELETE FROM mail_confirmations');
  await pool.query(
    `INSERT INTO mail_confirmations (tenant_id, address, token_hash, expires_at)
     VALUES ($1, 'a@example.com', sha256($2), now() + interval '1 hour')`,
    [tenantId, Buffer.from(token)],
  );
});

const repairDeps = () => ({ database, enqueueDeliver: nothing });
const address = () => ({ tenantId, entityType: 'Account', id: 1 });
const changed = () => anEvent({ recordId: 8 });
const noActivation = { webhookCollection: '', maxActivePerEntity: 0, refused: () => Problem.conflict('refused') };

/** All that it has, with its own settings. */
async function look(): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query('SELECT callout_threshold FROM tenants WHERE id = $1', [tenantId]);
  return { ...(await contentOf(database.pool, tenantId)), settings: rows };
}

const administration = () => createAdministration(database);
const parent = () => ({ tenantId, entityType: 'Account', webhookId: 1 });
const keyRing = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const email = (text: string) => Object.assign(emptyFieldValues(), { email: text });

/** A way to change data of a tenant, for a caller that was authenticated before. */
interface Way {
  readonly change: () => Promise<unknown>;
  /** Tables whose rows it has to lock: with them locked, it waits in the middle of its transaction. */
  readonly locks: readonly string[];
}

const ways: Readonly<Record<string, Way>> = {
  'an event of a session': {
    change: async () => {
      const { results } = await createIngestCommit(database.pool)([{ tenantId, events: [changed()] }]);
      if (results[0]?.kind === 'moving') throw new Error('moving');
    },
    locks: ['records'],
  },
  'a redelivery': {
    change: () => redeliverOne(repairDeps(), { webhook: address(), calloutId: ended }),
    locks: ['webhooks'],
  },
  'a cancellation': {
    change: () => cancelOne(repairDeps(), { webhook: address(), calloutId: open }),
    locks: ['webhooks'],
  },
  'a test call': {
    change: () => storeTest(repairDeps(), address(), { action: 'Update', bodyOf: () => '{}' }),
    locks: ['webhooks'],
  },
  'a fetch with expireSeconds': { change: () => extendLife(database.pool, webhookKey, 60_000), locks: ['webhooks'] },
  'a change of a webhook': {
    change: () => updateWebhook(database, address(), { settings: { name: 'x' } }, noActivation, byResource(1)),
    locks: ['webhooks'],
  },
  'a deletion of a webhook': {
    change: () => endWebhook(database, address(), 'deleted', byResource(1)),
    locks: ['webhooks'],
  },
  'a rotation of a secret': {
    change: () =>
      rotateSecret(
        { transaction: database.transaction, keyRing },
        address(),
        { secretKey: 'x', overlapHours: 0 },
        byOperator,
      ),
    locks: ['webhooks'],
  },
  'a field of a webhook': {
    change: () =>
      createChild(
        database,
        'excludedResources',
        parent(),
        { targetId: 1, flags: null },
        'ExcludedResources',
        byResource(1),
      ),
    locks: ['resources'],
  },
  'a user-defined field': {
    change: () =>
      createDefinition(
        database,
        tenantId,
        { entityType: 'Account', name: 'x', label: 'X', dataType: 'string', listValues: [] },
        'UdfDefinitions',
        byOperator,
      ),
    locks: ['counters'],
  },
  'a change of a resource': {
    change: () => updateResource(database, tenantId, 1, email('b@example.com'), byOperator),
    locks: ['resources'],
  },
  'a change of the tenant by an operator': {
    change: () => administration().tenants.update(tenantId, { calloutThreshold: 77 }),
    locks: ['tenants'],
  },
  'a resource of an operator': {
    change: () => administration().resources.create(tenantId, { email: 'c@example.com' }),
    locks: ['counters'],
  },
  'a right of a resource': {
    change: () => administration().resources.update(tenantId, 1, { canCreateWebhooks: true }),
    locks: ['resources'],
  },
  'a credential': {
    change: () =>
      administration().credentials.create(tenantId, { resourceID: 1, userName: `x${tenantId}`, role: 'source' }),
    locks: ['tenants'],
  },
  'a new secret of a credential': {
    change: () => administration().credentials.reissue(tenantId, credentialId),
    locks: ['credentials'],
  },
  'a role of a credential': {
    change: () => administration().credentials.update(tenantId, credentialId, { role: 'admin' }),
    locks: ['credentials'],
  },
  'a revoked credential': {
    change: () => administration().credentials.revoke(tenantId, credentialId),
    locks: ['credentials'],
  },
  'a deletion of an error log': {
    change: () => removeErrorLog(database, { tenantId, ownerResourceId: null }, errorLogId),
    locks: ['webhook_event_error_logs'],
  },
  'a link of a mail': { change: () => confirmAddress(database.pool, token), locks: ['mail_confirmations'] },
  'a request for mail': {
    change: () => requestConfirmation(database.pool, { tenantId, recipient: 'd@example.com', key: Buffer.from('key') }),
    locks: ['tenants'],
  },
};
const everyWay = Object.entries(ways);

describe('a change that was let in before its tenant was frozen', () => {
  it.each(everyWay)('is refused when it begins after that: %s', async (_, { change }) => {
    for (const state of ['moving', 'left', 'arriving']) {
      await database.pool.query('UPDATE tenants SET state = $2 WHERE id = $1', [tenantId, state]);
      const before = await look();
      await expect(change()).rejects.toThrow(/moving|moved to another zone/);
      expect(await look()).toEqual(before);
    }
  });

  it.each(everyWay)('is complete or refused when all is quiet: %s', async (_, { change, locks }) => {
    const { pool } = database;
    const before = await look();
    const holder = await pool.connect();
    let changing: Promise<unknown>;
    let quiet: Promise<void>;
    let isQuiet = false;
    try {
      await holder.query('BEGIN');
      for (const table of locks) {
        await holder.query(`SELECT FROM ${table} WHERE ${table === 'tenants' ? 'id' : 'tenant_id'} = $1 FOR UPDATE`, [
          tenantId,
        ]);
      }
      changing = change();
      changing.catch(nothing);
      await waiting();
      const steps: string[] = [];
      quiet = freezing((step) => {
        steps.push(step);
        if (step.includes('events')) void pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);
      }).finally(() => {
        isQuiet = true;
      });
      quiet.catch(nothing);
      // In its list of transactions, or for the row of the tenant.
      while (!steps.some((step) => step.includes('a transaction')) && (await waitingForLocks()) < 2);
      expect(isQuiet).toBe(false);
      await holder.query('COMMIT');
    } finally {
      holder.release();
    }
    await quiet;
    const after = await look();
    const [{ status }] = await Promise.allSettled([changing]);
    expect(await look()).toEqual(after);
    if (status === 'fulfilled') expect(after).not.toEqual(before);
    else expect(after).toEqual(before);
  });

  it.each(everyWay)('is done when its tenant is not frozen: %s', async (_, { change }) => {
    const before = await look();
    await change();
    expect(await look()).not.toEqual(before);
  });
});

/** Freezes the tenant; the other database, which this does not need, is the same one. */
const moveOf = (onStep: (step: string) => void = nothing): Move => ({
  ...{ source: { pool: database.pool, keyRing }, target: { pool: database.pool, keyRing } },
  ...{ id: newId(), run: newId(), zoneName: 'eu2', sourceTenantId: tenantId, targetTenantId: 0 },
  ...{ onStep, isStopping: () => false },
});
const freezing = async (onStep?: (step: string) => void, limitMs = 30_000) => {
  const move = moveOf(onStep);
  await database.pool.query(
    `INSERT INTO tenant_moves (id, tenant_id, direction, zone_name) VALUES ($1, $2, 'out', 'eu2')`,
    [move.id, tenantId],
  );
  await freeze(move, limitMs);
};

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
    const steps: string[] = [];
    await freezing((step) => {
      if (steps.includes(step)) return;
      steps.push(step);
      if (step.includes('a transaction')) void holder.query('COMMIT').finally(() => holder.release());
      if (step.includes('events')) void pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);
    });
    expect((await taken).results).toMatchObject([{ kind: 'accepted' }]);
    expect(steps).toContain('waiting: 1 events are not matched yet');
    const { events } = await contentOf(pool, tenantId);
    // With the one that was there before.
    expect(events).toHaveLength(3);
  });

  it('waits for a change that has locked a webhook and not written it yet', async () => {
    const { pool } = database;
    const change = await pool.connect();
    let done: Promise<void>;
    try {
      await change.query('BEGIN');
      await change.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [webhookKey]);
      let isWaiting: () => void;
      const waits = new Promise<void>((resolve) => {
        isWaiting = resolve;
      });
      done = freezing((step) => step.includes('a transaction') && isWaiting());
      done.catch(nothing);
      await waits;
      await change.query(`UPDATE webhooks SET name = 'new', version = version + 1 WHERE key = $1`, [webhookKey]);
      await change.query('COMMIT');
    } finally {
      change.release();
    }
    await done;
    const { rows } = await pool.query(
      'SELECT w.name, t.state FROM webhooks w JOIN tenants t ON t.id = w.tenant_id WHERE key = $1',
      [webhookKey],
    );
    expect(rows).toEqual([{ name: 'new', state: 'moving' }]);
  });

  it('gives up when a transaction of another client stays open', async () => {
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_current_xact_id()');
      await expect(freezing(nothing, 1)).rejects.toThrow(/since a transaction of .* is open/);
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
    const settled = (await readPullLeases(pool, webhookKey, ids)).map((lease) => ({
      lease,
      result: { kind: 'acked' as const },
    }));
    expect(settled).toHaveLength(1);
    await freezing();
    const before = await contentOf(pool, tenantId);
    expect((await settlePulls(pool, settled, pullRules)).outcomes.size).toBe(0);
    expect(await contentOf(pool, tenantId)).toEqual(before);
    // Acknowledged again where it is served.
    await pool.query(`UPDATE tenants SET state = 'active' WHERE id = $1`, [tenantId]);
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
    await database.pool.query(`UPDATE tenants SET state = 'active' WHERE id = $1`, [tenantId]);
    await deleteExpiredWebhooks(database.pool, 10);
    const { rows } = await database.pool.query('SELECT FROM webhooks WHERE key = $1 AND deleted_at IS NOT NULL', [
      webhookKey,
    ]);
    expect(rows).toHaveLength(1);
  });
});

/** Until a statement of another connection waits for a lock. */
async function waiting(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) if ((await waitingForLocks()) > 0) return;
  throw new Error('no statement waits for a lock');
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}
