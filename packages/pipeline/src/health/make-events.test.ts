import { byResource, byService } from '@callout/domain/changes/actor';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { failed, delivered } from '../fixtures/callouts.ts';
import { notifyOfExpiringCertificates } from '../sweep/expiring-certificates.ts';
import { notifyOfFailingWebhooks } from '../sweep/failing.ts';
import { createHealthEvents } from './make-events.ts';
import type { NewOccurrence } from './occurrence.rules.ts';
import { storeOccurrences } from './occurrences.ts';

const database = useDatabase(createDisposableDatabase);

beforeEach(async () => {
  await database.pool.query(
    'TRUNCATE webhook_occurrences, events, pending_events, records, webhooks, threshold_episode_webhooks CASCADE',
  );
});

const makeEvents = () =>
  createHealthEvents(
    database.pool,
    ({ entityType, id }) => `https://callout.example.com/console/webhooks/${entityType}/${id}`,
  )(() => false);

/** A webhook of that entity, like one on companies. */
async function watch(tenantId: number, id: number, entityType = 'WebhookHealth', isActive = true): Promise<number> {
  const key = await insertWebhook(database.pool, tenantId, id);
  await database.pool.query('UPDATE webhooks SET entity_type = $2, is_active = $3 WHERE key = $1', [
    key,
    entityType,
    isActive,
  ]);
  return key;
}

interface Made {
  tenantId: number;
  recordId: number;
  action: string;
  personId: number;
  changed: string[];
  fields: Record<string, string | null>;
  isPending: boolean;
}

/** The events of webhooks, in order. */
async function events(): Promise<Made[]> {
  const { rows } = await database.pool.query<Made>(
    `SELECT e.tenant_id AS "tenantId", e.record_id AS "recordId", e.action, e.person_id AS "personId",
       e.changed_fields AS changed, e.fields, p.event_id IS NOT NULL AS "isPending"
     FROM events e LEFT JOIN pending_events p ON p.event_id = e.id
     WHERE e.entity_type = 'WebhookHealth' ORDER BY e.tenant_id, e.record_id, e.record_version`,
  );
  return rows;
}

const named = async () =>
  (await events()).map(({ recordId, fields }) => `${recordId} ${fields['occurrence']} ${fields['state']}`);

const store = (...occurrences: NewOccurrence[]) =>
  inTransaction(database.pool, (transaction) => storeOccurrences(transaction, occurrences));

const paused = (webhookKey: number): NewOccurrence => ({
  webhookKey,
  occurrence: 'paused',
  subject: 'delivery',
  facts: { reason: 'no answer' },
});

async function countOccurrences(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int FROM webhook_occurrences');
  return rows[0]?.count ?? 0;
}

/** Keeps one occurrence and returns what puts it back, as if a worker had died between its commit and the deletion. */
async function workerThatDied(): Promise<() => Promise<void>> {
  await database.pool.query('DROP TABLE IF EXISTS left_occurrences');
  await database.pool.query('CREATE TABLE left_occurrences AS SELECT * FROM webhook_occurrences LIMIT 1');
  return async () => {
    await database.pool.query('INSERT INTO webhook_occurrences SELECT * FROM left_occurrences');
  };
}

describe('what happens to a webhook', () => {
  it('makes pending events of one record per webhook, in order', async () => {
    const tenant = await aTenantWithCallouts(database, { webhooks: 2 });
    await watch(tenant.tenantId, 9);
    await tenant.add(7, 0);
    await tenant.settle(await tenant.claim(), failed, { problem: 'The receiver answered 400.' });
    await tenant.add(8, 0);
    await tenant.settle(await tenant.claim(), delivered);
    await store(paused(tenant.keys[1] ?? 0));
    expect(await makeEvents()).toHaveLength(3);
    expect(await named()).toEqual(['1 calloutFailed active', '1 recovered active', '2 paused active']);
    const [first] = await events();
    expect(first).toMatchObject({
      tenantId: tenant.tenantId,
      action: 'Update',
      personId: 0,
      isPending: true,
      fields: {
        entityType: 'Account',
        webhookID: '1',
        name: 'test',
        url: 'http://127.0.0.1/in',
        subject: 'delivery',
        reason: 'The receiver answered 400.',
        failedInRow: '1',
        sequenceNumber: '1',
        recordID: '7',
        eventID: 'e',
        attempts: '1',
        consoleURL: 'https://callout.example.com/console/webhooks/Account/1',
        summary:
          'Callout 1 of Account webhook “test” failed for good after 1 attempt. Last failure: The receiver answered 400.',
      },
    });
    expect(first?.changed).toEqual(expect.arrayContaining(['occurrence', 'calloutID']));
    expect(first?.changed).not.toContain('cause');
    expect(await countOccurrences()).toBe(0);
    expect(await makeEvents()).toEqual([]);
  });

  it('is a deactivation, with its cause and the person that did it', async () => {
    const tenant = await aTenantWithCallouts(database, { webhooks: 2 });
    await watch(tenant.tenantId, 9);
    const deactivate = (webhookKey: number, cause: 'user' | 'deleted', actorResourceId: number | null) =>
      inTransaction(database.pool, async (transaction) => {
        await transaction.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [webhookKey]);
        await deactivateWebhooks(transaction, {
          webhookKeys: [webhookKey],
          cause,
          actor: actorResourceId === null ? byService : byResource(actorResourceId),
        });
      });
    await deactivate(tenant.keys[0] ?? 0, 'user', 1);
    await deactivate(tenant.keys[1] ?? 0, 'deleted', null);
    await makeEvents();
    expect((await events()).map(({ personId, fields }) => [personId, fields['cause'], fields['state']])).toEqual([
      [1, 'user', 'inactive'],
      [0, 'deleted', 'deleted'],
    ]);
  });

  it('is over with the webhook: what its threshold holds when it is deactivated, its certificate when it is deleted', async () => {
    const tenant = await aTenantWithCallouts(database, { webhooks: 3 });
    await watch(tenant.tenantId, 9);
    await database.pool.query("UPDATE webhooks SET certificate_told_days = 30 WHERE entity_type = 'Account'");
    await database.pool.query(
      "INSERT INTO threshold_episode_webhooks SELECT tenant_id, 'Account', key, 4 FROM webhooks WHERE key = ANY($1)",
      [tenant.keys.slice(0, 2)],
    );
    for (const [nth, cause] of (['user', 'deleted', 'gone'] as const).entries()) {
      await inTransaction(database.pool, async (transaction) => {
        const webhookKeys = [tenant.keys[nth] ?? 0];
        await transaction.query('SELECT FROM webhooks WHERE key = ANY($1) FOR NO KEY UPDATE', [webhookKeys]);
        await deactivateWebhooks(transaction, { webhookKeys, cause, actor: byService });
      });
    }
    await makeEvents();
    const shown = (await events()).map(({ recordId, fields }) =>
      [recordId, fields['occurrence'], fields['subject'], fields['state'], fields['heldCount']].join(' '),
    );
    expect(shown).toEqual([
      '1 deactivated delivery inactive ',
      '1 thresholdReleased threshold inactive 4',
      '2 deactivated delivery deleted ',
      '2 thresholdReleased threshold deleted 4',
      '2 recovered certificate deleted ',
      '3 deactivated delivery inactive ',
    ]);
    const { rows } = await database.pool.query('SELECT FROM threshold_episode_webhooks');
    expect(rows).toEqual([]);
  });

  it('is that it is failing, when its people get mail of that, and its recovery however soon that comes', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    await tenant.add(7);
    await tenant.settle(await tenant.claim(), { kind: 'retry', waitMs: 0 }, { problem: 'The receiver answered 500.' });
    await notifyOfFailingWebhooks(database.pool, {
      ...{ alertAfterMs: -1, gatherMs: 0, deactivateAfter: 25, pullKeepMs: 60_000 },
      schedule: { waitsMs: [60_000], jitter: 0 },
    });
    await tenant.settle(await tenant.claim(), delivered);
    await makeEvents();
    expect(await named()).toEqual(['1 failing active', '1 recovered active']);
    expect((await events())[0]?.fields).toMatchObject({
      summary: expect.stringMatching(
        /^Account webhook “test” is failing: no callout has been delivered since .* Last failure: The receiver answered 500\.$/u,
      ),
      reason: 'The receiver answered 500.',
      since: expect.any(String),
    });
  });

  it('is a certificate that expires', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    await database.pool.query("UPDATE webhooks SET certificate_expires_at = now() + interval '5 days' WHERE key = $1", [
      tenant.keys[0],
    ]);
    await notifyOfExpiringCertificates(database.pool);
    await makeEvents();
    expect(await named()).toEqual(['1 certificateExpiring active']);
  });

  it('says nothing of an earlier event that no longer holds', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    const about = { webhookKey: tenant.keys[0] ?? 0, subject: 'delivery' } as const;
    await store({ ...paused(about.webhookKey) }, { ...about, occurrence: 'recovered', facts: {} });
    await makeEvents();
    expect((await events()).map(({ fields }) => fields['reason'])).toEqual(['no answer', null]);
  });
});

describe('an occurrence is not stored', () => {
  it.each(['no webhook', 'an inactive webhook', 'a deleted webhook', 'a webhook of another tenant'])(
    'where %s is subscribed to it',
    async (which) => {
      const tenant = await aTenantWithCallouts(database);
      const other = await insertTenant(database.pool);
      if (which === 'an inactive webhook') await watch(tenant.tenantId, 9, 'WebhookHealth', false);
      if (which === 'a webhook of another tenant') await watch(other, 9);
      if (which === 'a deleted webhook') {
        const key = await watch(tenant.tenantId, 9);
        await database.pool.query('UPDATE webhooks SET deleted_at = now() WHERE key = $1', [key]);
      }
      await store(paused(tenant.keys[0] ?? 0));
      expect(await countOccurrences()).toBe(0);
    },
  );

  it('about a webhook on WebhookHealth, also where another one is subscribed', async () => {
    const tenant = await aTenantWithCallouts(database);
    const [one, two] = [await watch(tenant.tenantId, 8), await watch(tenant.tenantId, 9)];
    await store(paused(one), paused(two), paused(tenant.keys[0] ?? 0));
    await makeEvents();
    expect((await events()).map(({ fields }) => fields['webhookGUID'])).toHaveLength(1);
    expect(await countOccurrences()).toBe(0);
  });

  it('when the transaction is rolled back', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    const failing = inTransaction(database.pool, async (transaction) => {
      await storeOccurrences(transaction, [paused(tenant.keys[0] ?? 0)]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await countOccurrences()).toBe(0);
  });
});

describe('events of occurrences', () => {
  it('are made once, however many workers make them and wherever one dies', async () => {
    const tenant = await aTenantWithCallouts(database, { webhooks: 3 });
    await watch(tenant.tenantId, 9);
    for (let round = 0; round < 4; round += 1) await store(...tenant.keys.map(paused));
    const left = await workerThatDied();
    await Promise.all(Array.from({ length: 4 }, makeEvents));
    while ((await countOccurrences()) > 0) await makeEvents();
    expect(await events()).toHaveLength(12);
    await left();
    await makeEvents();
    expect(await events()).toHaveLength(12);
    expect(await countOccurrences()).toBe(0);
  });

  it('are made once when no worker ran for a day after one died, and their eventIDs are forgotten', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    await store(paused(tenant.keys[0] ?? 0));
    const left = await workerThatDied();
    await makeEvents();
    await left();
    await database.pool.query("UPDATE event_keys SET accepted_at = now() - interval '25 hours'");
    await database.pool.query("UPDATE webhook_occurrences SET occurred_at = now() - interval '25 hours'");
    await store({ ...paused(tenant.keys[0] ?? 0), occurrence: 'recovered' });
    await makeEvents();
    expect(await named()).toEqual(['1 paused active', '1 recovered active']);
    expect(await countOccurrences()).toBe(0);
  });

  it('wait while their tenant is moved, and delay no other tenant', async () => {
    const [moving, other] = [await aTenantWithCallouts(database), await aTenantWithCallouts(database)];
    for (const { tenantId } of [moving, other]) await watch(tenantId, 9);
    await store(paused(moving.keys[0] ?? 0), paused(other.keys[0] ?? 0));
    await database.pool.query("UPDATE tenants SET state = 'moving' WHERE id = $1", [moving.tenantId]);
    await makeEvents();
    expect((await events()).map(({ tenantId }) => tenantId)).toEqual([other.tenantId]);
    await database.pool.query("UPDATE tenants SET state = 'active' WHERE id = $1", [moving.tenantId]);
    await makeEvents();
    expect(await events()).toHaveLength(2);
  });

  it('that are refused delay those of no other tenant', async () => {
    const [refused, other] = [await aTenantWithCallouts(database), await aTenantWithCallouts(database)];
    for (const { tenantId } of [refused, other]) await watch(tenantId, 9);
    await store(paused(refused.keys[0] ?? 0), paused(other.keys[0] ?? 0));
    await database.pool.query(
      `UPDATE webhook_occurrences SET content = jsonb_set(content::jsonb, '{webhook,name}', to_jsonb(repeat('x', 300000)))
       WHERE tenant_id = $1`,
      [refused.tenantId],
    );
    await expect(makeEvents()).rejects.toThrow('an event of a webhook was refused: ');
    expect((await events()).map(({ tenantId }) => tenantId)).toEqual([other.tenantId]);
    expect(await countOccurrences()).toBe(1);
  });

  it('number the webhooks of each tenant from 1', async () => {
    const tenants = [await aTenantWithCallouts(database), await aTenantWithCallouts(database)];
    for (const { tenantId, keys } of tenants) {
      await watch(tenantId, 9);
      await store(...keys.map(paused));
    }
    await makeEvents();
    expect((await events()).map(({ tenantId, recordId }) => [tenantId, recordId])).toEqual(
      tenants.map(({ tenantId }) => [tenantId, 1]),
    );
  });

  it('show neither control characters of a name nor the query of a URL', async () => {
    const tenant = await aTenantWithCallouts(database);
    await watch(tenant.tenantId, 9);
    await database.pool.query('UPDATE webhooks SET name = $2, webhook_url = $3 WHERE key = $1', [
      tenant.keys[0],
      'Bill\u202Eing\n!',
      'https://example.com/in?token=secret-token',
    ]);
    await store(paused(tenant.keys[0] ?? 0));
    await makeEvents();
    const [event] = await events();
    expect(event?.fields).toMatchObject({ name: 'Billing!', url: 'https://example.com/in?…' });
    expect(JSON.stringify(event)).not.toContain('secret-token');
  });
});
