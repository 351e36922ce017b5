import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { newId } from '../schema/ids.ts';
import { useDatabase } from '../fixtures/own-database.ts';
import { tellOfFailingWebhooks } from './failing.ts';

const database = useDatabase(createDisposableDatabase);
const minute = 60_000;
const rules = { alertAfterMs: 5 * minute, deactivateAfter: 2, schedule: { waitsMs: [minute, 10 * minute], jitter: 0 } };
let tenantId: number;
let webhookKey: number;

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, failing_episodes, webhook_health, open_callouts');
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

const look = () => tellOfFailingWebhooks(database.pool, rules);

async function failsSince(interval: string, pauses = 0): Promise<void> {
  await database.pool.query(
    `INSERT INTO webhook_health (webhook_key, failing_since, pauses, last_failure)
     VALUES ($1, now() - $2::interval, $3, 'no answer')
     ON CONFLICT (webhook_key) DO UPDATE SET failing_since = EXCLUDED.failing_since, pauses = EXCLUDED.pauses`,
    [webhookKey, interval, pauses],
  );
}

const succeeds = () => database.pool.query('DELETE FROM webhook_health WHERE webhook_key = $1', [webhookKey]);

async function owes(recordId: number, attemptsMade: number, dueIn: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
       state, due_at, attempts_made)
     VALUES ($1, $2, $3, 'Account', $4, 'Update', 'event', $4, 'due', now() + $5::interval, $6)`,
    [newId(), tenantId, webhookKey, recordId, dueIn, attemptsMade],
  );
}

interface Told {
  kind: string;
  facts: Record<string, unknown>;
}

async function told(): Promise<Told[]> {
  const { rows } = await database.pool.query<Told>(
    "SELECT kind, content -> 'facts' AS facts FROM notifications ORDER BY created_at, id",
  );
  return rows;
}

const kinds = async (): Promise<string[]> => (await told()).map(({ kind }) => kind);

describe('tellOfFailingWebhooks', () => {
  it('tells of a webhook once it has been failing for so long, and once when it has recovered', async () => {
    await failsSince('4 minutes');
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    await failsSince('5 minutes', 3);
    expect(await look()).toEqual({ failing: 1, recovered: 0 });
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    await succeeds();
    expect(await look()).toEqual({ failing: 0, recovered: 1 });
    expect(await look()).toEqual({ failing: 0, recovered: 0 });
    expect(await kinds()).toEqual(['failing', 'recovered']);
    expect((await told())[0]?.facts).toMatchObject({ isPaused: true, lastFailure: 'no answer', openCallouts: 0 });
  });

  it('says when the webhook will be deactivated, going by what is open and its attempts so far', async () => {
    await failsSince('5 minutes');
    await owes(1, 2, '4 minutes');
    await owes(2, 1, '1 minute');
    await look();
    const [notification] = await told();
    const { rows } = await database.pool.query<{ at: Date; first: Date }>(
      `SELECT max(due_at) FILTER (WHERE attempts_made = 1) + interval '10 minutes' AS at,
         max(due_at) FILTER (WHERE attempts_made = 2) AS first FROM open_callouts`,
    );
    const { deactivationAt, firstGivenUpAt, openCallouts } = notification?.facts ?? {};
    expect({ deactivationAt, firstGivenUpAt, openCallouts }).toEqual({
      deactivationAt: rows[0]?.at.toISOString(),
      firstGivenUpAt: rows[0]?.first.toISOString(),
      openCallouts: 2,
    });
  });

  it('says that the date is not known while too few callouts are open', async () => {
    await failsSince('5 minutes');
    await owes(1, 2, '4 minutes');
    await look();
    expect((await told())[0]?.facts).toMatchObject({ deactivationAt: null, firstGivenUpAt: expect.any(String) });
  });

  it('takes a failure after a success for another episode', async () => {
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

  it('tells once, however many processes look at the same time', async () => {
    await failsSince('1 hour');
    await Promise.all(Array.from({ length: 5 }, look));
    expect(await kinds()).toEqual(['failing']);
    await succeeds();
    await Promise.all(Array.from({ length: 5 }, look));
    expect(await kinds()).toEqual(['failing', 'recovered']);
  });
});
