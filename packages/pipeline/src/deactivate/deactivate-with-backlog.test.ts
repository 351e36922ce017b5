import { byResource, byService } from '@callout/domain/changes/actor';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { deactivateWebhooks } from './deactivation.ts';
import { claimRules, delivered, failed } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { newId } from '@callout/database/schema/ids';
import { rules } from '@callout/webhooks/activation-rules.fixture';
import { updateWebhook } from '@callout/webhooks/webhook-changes';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { cancelOpenCallouts, webhooksToCancel } from './cancel.ts';
import { releaseHeldCallouts } from '../limits/release-held.ts';
import type { Settlement } from '../settle/settlement.rules.ts';
import { webhooksWithDueCallouts } from '../sweep/find-due.ts';

const retry: Settlement['next'] = { kind: 'retry', waitMs: 0 };
const down = { signal: 'down', problem: 'The receiver answered 503.' } as const;
const rejected = { signal: 'rejected', problem: 'The receiver answered 400.' } as const;

const database = useDatabase(createDisposableDatabase);
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;
let webhookKey: number;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
  [webhookKey = 0] = tenant.keys;
});

/** Deactivates as a worker does. */
async function deactivate(): Promise<void> {
  await inTransaction(database.pool, async (transaction) => {
    await transaction.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [webhookKey]);
    await deactivateWebhooks(transaction, {
      webhookKeys: [webhookKey],
      cause: 'repeatedFailure',
      actor: byService,
    });
  });
}

const cancelAll = () => cancelOpenCallouts(database.pool, webhookKey, () => false);

/** States of the callouts of events, in their order. */
async function ends(): Promise<{ state: string; attempts: number; isOpen: boolean }[]> {
  const { rows } = await database.pool.query<{ state: string; attempts: number; isOpen: boolean }>(
    `SELECT state, (SELECT count(*)::int FROM attempts WHERE callout_id = c.id) AS attempts,
       EXISTS (SELECT FROM open_callouts WHERE callout_id = c.id) AS "isOpen"
     FROM callouts c WHERE webhook_key = $1 AND kind = 'event' ORDER BY sequence_number`,
    [webhookKey],
  );
  return rows;
}

async function count(table: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]?.count ?? -1;
}

const isCancelling = async (): Promise<boolean> => (await webhooksToCancel(database.pool, 100)).includes(webhookKey);

describe('while the callouts of a deactivated webhook are still open', () => {
  it('only its deactivation call is claimed', async () => {
    await tenant.add(1);
    await deactivate();
    expect(await isCancelling()).toBe(true);
    expect(await webhooksWithDueCallouts(database.pool, webhookKey - 1, 1)).toEqual([webhookKey]);
    const [call, ...others] = await tenant.claim();
    expect(call).toMatchObject({ kind: 'deactivation' });
    expect(others).toEqual([]);
    // The call is being sent, and nothing else is due.
    expect(await webhooksWithDueCallouts(database.pool, webhookKey - 1, 1)).not.toEqual([webhookKey]);
  });

  it('the probe of a paused receiver is not claimed either', async () => {
    await tenant.add(1);
    await deactivate();
    const health = { webhookKey, pauses: 1, pausedUntil: new Date(Date.now() - 1_000) };
    await database.prisma.webhookHealth.create({ data: health });
    expect((await tenant.claim()).map(({ kind }) => kind)).toEqual(['deactivation']);
  });

  it('no test is sent', async () => {
    const id = await tenant.add(1);
    await database.pool.query("UPDATE open_callouts SET kind = 'test', record_id = 0 WHERE callout_id = $1", [id]);
    await deactivate();
    expect((await tenant.claim()).map(({ kind }) => kind)).toEqual(['deactivation']);
  });

  it('callouts that a threshold holds are not released, and the episode ends when they are cancelled', async () => {
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [tenant.tenantId]);
    for (const recordId of [1, 2, 3]) await tenant.add(recordId);
    expect(await tenant.claim()).toHaveLength(1);
    await deactivate();
    await database.pool.query('UPDATE tenants SET callout_threshold = 100 WHERE id = $1', [tenant.tenantId]);
    const release = () => releaseHeldCallouts(database.pool, { ...claimRules, atMost: 10, slotsOf: () => 8 });
    const episodes = 'threshold_windows WHERE episode_started_at IS NOT NULL';
    expect(await release()).toEqual([]);
    expect(await count(episodes)).toBe(1);
    await cancelAll();
    expect(await release()).toEqual([]);
    expect(await count(episodes)).toBe(0);
  });

  it('a transaction that locks one of them does not delay the deactivation', async () => {
    const id = await tenant.add(1);
    await inTransaction(database.pool, async (other) => {
      await other.query('SELECT FROM open_callouts WHERE callout_id = $1 FOR UPDATE', [id]);
      await deactivate();
    });
    expect(await isCancelling()).toBe(true);
  });

  it('the mail states how many there are', async () => {
    for (const recordId of [1, 2, 3]) await tenant.add(recordId);
    await deactivate();
    const { content } = await database.prisma.notification.findFirstOrThrow({ where: { webhookKey } });
    expect(content).toMatchObject({ facts: { openCallouts: 3 } });
  });

  it('activating it again is refused, since they would be sent', async () => {
    await tenant.add(1);
    await deactivate();
    // Anything may keep them from being cancelled; here it is a trigger.
    await database.pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON open_callouts FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const address = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    const activate = () => updateWebhook(database, address, { settings: { isActive: true } }, rules, byResource(1));
    try {
      await expect(activate()).rejects.toMatchObject({
        kind: 'conflict',
        details: [{ message: 'stillCancelling' }],
      });
    } finally {
      await database.pool.query('DROP FUNCTION refuse CASCADE');
    }
    await activate();
    expect(await isCancelling()).toBe(false);
    expect((await ends()).map(({ state }) => state)).toEqual(['cancelled']);
  });
});

describe('a result that comes between the deactivation and the cancelling', () => {
  it.each([
    ['a success makes it delivered', delivered, {}, 'delivered'],
    ['a failure is stored, and the callout is cancelled', retry, rejected, 'cancelled'],
    ['a last failure is stored, and the callout is cancelled as well', failed, rejected, 'cancelled'],
  ] as const)('%s', async (_title, next, change, state) => {
    for (const recordId of [1, 1, 2]) await tenant.add(recordId);
    const [sent] = await tenant.claim(1);
    if (sent === undefined) throw new Error('nothing was due');
    await deactivate();
    const mails = await tenant.mails();
    await tenant.settle([sent], next, change);
    expect((await tenant.claim()).map(({ kind }) => kind)).toEqual(['deactivation']);
    await cancelAll();
    const others = { state: 'cancelled', attempts: 0, isOpen: false };
    const settled = { state, attempts: 1, isOpen: false };
    expect(await ends()).toEqual([1, 2, 3].map((nth) => (nth === sent.sequenceNumber ? settled : others)));
    // No mail is sent about it, and it is counted nowhere.
    expect(await tenant.mails()).toEqual(mails);
    expect(await count(`webhook_event_error_logs WHERE tenant_id = ${tenant.tenantId}`)).toBe(0);
    expect(await isCancelling()).toBe(false);
  });

  it.each([
    ['end a webhook twice', failed, rejected],
    ['pause an inactive one', retry, down],
  ] as const)('does not %s, nor count against it', async (_title, next, change) => {
    for (let recordId = 1; recordId <= 30; recordId += 1) await tenant.add(recordId);
    const sent = await tenant.claim();
    await deactivate();
    await tenant.settle(sent, next, change);
    expect(await tenant.history()).toEqual(['deactivated repeatedFailure']);
    expect(await count(`webhook_health WHERE webhook_key = ${webhookKey}`)).toBe(0);
  });
});

/** Callouts of one record each, from this record id on, enough for several parts of the cancelling. */
async function addMany(firstRecordId: number): Promise<string[]> {
  const ids = Array.from({ length: 4_500 }, () => newId());
  await database.pool.query(
    `WITH new AS (
       SELECT id, n, n + $4 AS record_id FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, n)
     ), history AS (
       INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action)
       SELECT id, $2, $3, n, 'Account', record_id, 'Update' FROM new
     )
     INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number,
       state, due_at)
     SELECT id, $2, $3, 'Account', record_id, 'Update', n, 'due', now() FROM new`,
    [ids, tenant.tenantId, webhookKey, firstRecordId - 1],
  );
  return ids;
}

it('several processes cancel a backlog of several parts, and each callout once', async () => {
  const ids = await addMany(1);
  await deactivate();
  expect(await Promise.all([cancelAll(), cancelAll(), cancelAll()])).toEqual([true, true, true]);
  expect(await ends()).toEqual(ids.map(() => ({ state: 'cancelled', attempts: 0, isOpen: false })));
});

it('a process that was delayed between two parts starts over when the webhook was deactivated again meanwhile', async () => {
  await addMany(2);
  await deactivate();
  const meanwhile = async () => {
    await cancelAll();
    const address = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    await updateWebhook(database, address, { settings: { isActive: true } }, rules, byResource(1));
    await tenant.add(1);
    await deactivate();
  };
  let parts = 0;
  const isEnough = () => {
    parts += 1;
    return false;
  };
  const heldUp = {
    async connect() {
      if (parts === 2) await meanwhile();
      return database.pool.connect();
    },
  };
  expect(await cancelOpenCallouts(heldUp as unknown as typeof database.pool, webhookKey, isEnough)).toBe(true);
  expect(await isCancelling()).toBe(false);
  expect((await ends()).filter(({ isOpen }) => isOpen)).toEqual([]);
});
