import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { lowestId, timeOfId, newId } from '@callout/database/schema/ids';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { notifyOfFailingWebhooks } from './failing.ts';

const database = useDatabase(createDisposableDatabase);
const minute = 60_000;
const rules = {
  alertAfterMs: 5 * minute,
  gatherMs: 2 * minute,
  deactivateAfter: 2,
  schedule: { waitsMs: [minute, 10 * minute], jitter: 0 },
  pullKeepMs: 7 * 24 * 60 * minute,
};
let tenantId: number;
let webhookKey: number;

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, failing_episodes, webhook_health, open_callouts');
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

const look = () => notifyOfFailingWebhooks(database.pool, rules);

async function failsSince(interval: string, pauses = 0): Promise<void> {
  await database.pool.query(
    `INSERT INTO webhook_health (webhook_key, failing_since, pauses, last_failure)
     VALUES ($1, now() - $2::interval, $3, 'no answer')
     ON CONFLICT (webhook_key) DO UPDATE SET failing_since = EXCLUDED.failing_since, pauses = EXCLUDED.pauses,
       is_reported = false`,
    [webhookKey, interval, pauses],
  );
}

const succeeds = () => database.pool.query('DELETE FROM webhook_health WHERE webhook_key = $1', [webhookKey]);

async function hasDue(recordId: number, attemptsMade: number, dueIn: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
       state, due_at, attempts_made)
     VALUES ($1, $2, $3, 'Account', $4, 'Update', 'event', $4, 'due', now() + $5::interval, $6)`,
    [newId(), tenantId, webhookKey, recordId, dueIn, attemptsMade],
  );
}

/** Stores a callout that used up its attempts this long ago, after ten minutes of them. Returns its id. */
async function gaveUp(sequenceNumber: number, ago: string, change = 'id = id'): Promise<string> {
  const { rows } = await database.pool.query<{ at: Date }>('SELECT now() - $1::interval AS at', [ago]);
  const [{ at } = { at: new Date() }] = rows;
  const id = idAt(new Date(at.getTime() - 10 * minute));
  await database.pool.query(
    `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, state, finished_at)
     VALUES ($1, $2, $3, $4, 'Account', $4, 'Update', 'failed', $5)`,
    [id, tenantId, webhookKey, sequenceNumber, at],
  );
  await database.pool.query(
    `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, failure)
     VALUES ($1, $2, $3, $4, 9, $5, 1, 'https://x', '{}', 'no answer')`,
    [idAt(at), id, tenantId, webhookKey, at],
  );
  await database.pool.query(`UPDATE callouts SET ${change} WHERE id = $1`, [id]);
  return id;
}

let made = 0;
/** An id of that moment. */
function idAt(moment: Date): string {
  made += 1;
  return `${lowestId(moment).slice(0, 24)}${String(made).padStart(12, '0')}`;
}

interface SentNotification {
  kind: string;
  facts: Record<string, unknown>;
}

async function notifications(): Promise<SentNotification[]> {
  const { rows } = await database.pool.query<SentNotification>(
    "SELECT kind, content -> 'facts' AS facts FROM notifications ORDER BY created_at, id",
  );
  return rows;
}

const kinds = async (): Promise<string[]> => (await notifications()).map(({ kind }) => kind);

describe('notifyOfFailingWebhooks', () => {
  it('reports a webhook once it has been failing for the set time, and once when it has recovered', async () => {
    await failsSince('4 minutes');
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    await failsSince('301 seconds', 3);
    expect(await look()).toEqual({ failing: 1, recovered: 0 });
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    await succeeds();
    expect(await look()).toEqual({ failing: 0, recovered: 1 });
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    expect(await kinds()).toEqual(['failing', 'recovered']);
    expect((await notifications())[0]?.facts).toMatchObject({
      isPaused: true,
      lastFailure: 'no answer',
    });
  });

  it('states when the webhook will be deactivated, by its open callouts and their attempts so far', async () => {
    await failsSince('301 seconds');
    await hasDue(1, 2, '4 minutes');
    await hasDue(2, 1, '1 minute');
    await look();
    const [notification] = await notifications();
    const { rows } = await database.pool.query<{ at: Date; first: Date }>(
      `SELECT max(due_at) FILTER (WHERE attempts_made = 1) + interval '10 minutes' AS at,
         max(due_at) FILTER (WHERE attempts_made = 2) AS first FROM open_callouts`,
    );
    const { deactivationAt, firstFailsAt } = notification?.facts ?? {};
    expect({ deactivationAt, firstFailsAt }).toEqual({
      deactivationAt: rows[0]?.at.toISOString(),
      firstFailsAt: rows[0]?.first.toISOString(),
    });
  });

  it('states that the date is unknown while too few callouts are open', async () => {
    await failsSince('301 seconds');
    await hasDue(1, 2, '4 minutes');
    await look();
    expect((await notifications())[0]?.facts).toMatchObject({
      deactivationAt: null,
      firstFailsAt: expect.any(String),
    });
  });

  it('states the time of the next attempt: for a paused webhook not before its pause is over', async () => {
    await failsSince('301 seconds');
    await hasDue(1, 2, '4 minutes');
    await look();
    const { rows } = await database.pool.query<{ at: Date }>('SELECT due_at AS at FROM open_callouts');
    expect((await notifications())[0]?.facts['nextAttemptAt']).toBe(rows[0]?.at.toISOString());
    await database.pool.query('TRUNCATE failing_episodes, notifications');
    await database.pool.query(
      "UPDATE webhook_health SET is_reported = false, pauses = 1, paused_until = '2999-01-01T00:00:00Z'",
    );
    await look();
    expect((await notifications())[0]?.facts['nextAttemptAt']).toBe('2999-01-01T00:00:00.000Z');
  });

  it('states the time of the next probe where that comes before the next attempt', async () => {
    await failsSince('301 seconds');
    await hasDue(1, 2, '40 minutes');
    const { rows } = await database.pool.query<{ at: Date }>(
      "UPDATE webhook_health SET probe_at = date_trunc('second', now()) + interval '1 minute' RETURNING probe_at AS at",
    );
    await look();
    expect((await notifications())[0]?.facts['nextAttemptAt']).toBe(rows[0]?.at.toISOString());
  });

  it('counts callouts that failed since the webhook began to fail, not earlier or reopened ones', async () => {
    const before = await gaveUp(1, '2 hours');
    const first = await gaveUp(2, '20 minutes');
    await gaveUp(3, '10 minutes');
    await gaveUp(4, '10 minutes', "state = 'open'");
    await gaveUp(5, '10 minutes', "kind = 'test'");
    await failsSince('30 minutes');
    await look();
    await succeeds();
    await look();
    const given = { failed: 2, failedSince: timeOfId(first).toISOString() };
    expect(timeOfId(before) < timeOfId(first)).toBe(true);
    expect((await notifications()).map(({ kind, facts }) => [kind, facts])).toEqual([
      ['failing', expect.objectContaining(given)],
      ['recovered', expect.objectContaining(given)],
    ]);
  });

  it('reports with it the webhooks of its tenant that began to fail soon after, and none of another tenant', async () => {
    const others = await Promise.all([2, 3].map((id) => insertWebhook(database.pool, tenantId, id)));
    const elsewhere = await insertWebhook(database.pool, await insertTenant(database.pool), 1);
    const began = (key: number, interval: string) =>
      database.pool.query('INSERT INTO webhook_health (webhook_key, failing_since) VALUES ($1, now() - $2::interval)', [
        key,
        interval,
      ]);
    await began(others[0] ?? 0, '4 minutes');
    await began(others[1] ?? 0, '2 minutes');
    await began(elsewhere, '4 minutes');
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    await failsSince('301 seconds');
    expect(await look()).toEqual({ failing: 2, recovered: 0 });
    const { rows } = await database.pool.query('SELECT webhook_key AS key FROM failing_episodes ORDER BY webhook_key');
    expect(rows).toEqual([{ key: webhookKey }, { key: others[0] }]);
  });

  it('records whether the installation has other tenants', async () => {
    await failsSince('301 seconds');
    await look();
    const isOneOfSeveral = async () => {
      const { rows } = await database.pool.query<{ one: boolean }>(
        "SELECT (content -> 'tenant' ->> 'isOneOfSeveral')::boolean AS one FROM notifications",
      );
      return rows.map(({ one }) => one);
    };
    expect(await isOneOfSeveral()).toEqual([true]);
  });

  it('treats a failure after a success as another episode', async () => {
    await failsSince('1 hour');
    await look();
    await failsSince('6 minutes');
    expect(await look()).toEqual({ failing: 1, recovered: 1 });
  });

  it.each(['is_active = false', 'deleted_at = now()', "activated_at = now() + interval '1 second'"])(
    'sends no mail of recovery when the webhook was deactivated meanwhile (%s)',
    async (assignment) => {
      await failsSince('1 hour');
      await look();
      await succeeds();
      await database.pool.query(`UPDATE webhooks SET ${assignment} WHERE key = $1`, [webhookKey]);
      expect(await look()).toEqual({ failing: 0, recovered: 0 });
      expect(await kinds()).toEqual(['failing']);
      expect((await database.pool.query('SELECT FROM failing_episodes')).rowCount).toBe(0);
    },
  );

  it('notifies once, however many processes look at the same time', async () => {
    await failsSince('1 hour');
    await Promise.all(Array.from({ length: 5 }, look));
    expect(await kinds()).toEqual(['failing']);
    await succeeds();
    await Promise.all(Array.from({ length: 5 }, look));
    expect(await kinds()).toEqual(['failing', 'recovered']);
  });
});
