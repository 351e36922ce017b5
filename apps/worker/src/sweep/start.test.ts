import { expect, it } from '@jest/globals';
import { insertCallout, insertTenant, insertWebhook } from '@callout/db/fixtures';
import { eventually } from '@callout/testing';
import { useWorker } from '../fixtures/use-worker.ts';

const worker = useWorker({ SWEEP_EVERY_MS: '100' });

it('cancels what a deactivated webhook leaves open, also when that of another one cannot be cancelled', async () => {
  const { pool } = worker.database;
  const tenantId = await insertTenant(pool);
  const stuck = await insertWebhook(pool, tenantId, 1);
  const other = await insertWebhook(pool, tenantId, 2);
  // What keeps them from being cancelled may be anything; here it is a trigger.
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
     CREATE TRIGGER refuse BEFORE DELETE ON open_callouts FOR EACH ROW WHEN (OLD.webhook_key = ${stuck})
       EXECUTE FUNCTION refuse()`,
  );
  for (const webhookKey of [stuck, other]) await insertCallout(pool, { tenantId, webhookKey, recordId: 1 });
  await pool.query('UPDATE webhooks SET is_active = false, is_cancelling = true WHERE tenant_id = $1', [tenantId]);
  await eventually(
    async () => {
      const { rows } = await pool.query('SELECT key FROM webhooks WHERE is_cancelling');
      expect(rows).toEqual([{ key: stuck }]);
    },
    { timeoutMs: 20_000 },
  );
});
