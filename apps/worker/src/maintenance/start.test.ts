import { expect, it } from '@jest/globals';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { insertCallout } from '@callout/pipeline/fixtures/callouts';
import { eventually } from '@callout/testing';
import { useWorker } from '../test/fixtures/use-worker.ts';

const worker = useWorker({});

it('the sweep cancels open callouts of a deactivated webhook, also when those of another one cannot be cancelled', async () => {
  const { pool } = worker.database;
  const tenantId = await insertTenant(pool);
  const stuck = await insertWebhook(pool, tenantId, 1);
  const other = await insertWebhook(pool, tenantId, 2);
  // Anything may keep them from being cancelled; here it is a trigger.
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
