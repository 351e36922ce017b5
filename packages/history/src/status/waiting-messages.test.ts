import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { describeLateMessages, readWaitingMessages } from './waiting-messages.ts';

const database = useDatabase(createDisposableDatabase);

it('counts what waits, with the age of the oldest, and describes it once it is late', async () => {
  const { pool } = database;
  const nothing = { count: 0, oldestDateTime: null };
  expect(await readWaitingMessages(pool)).toEqual({ waitingHealthEvents: nothing, waitingOperatorMessages: nothing });
  const [tenantId, moving] = [await insertTenant(pool), await insertTenant(pool)];
  await pool.query("UPDATE tenants SET state = 'moving' WHERE id = $1", [moving]);
  const happened = (id: number, secondsAgo: number) =>
    pool.query(
      `INSERT INTO webhook_occurrences (id, tenant_id, content, occurred_at)
       VALUES (gen_random_uuid(), $1, '{}', now() - $2 * interval '1 second')`,
      [id, secondsAgo],
    );
  const stored = (secondsAgo: number) =>
    pool.query(
      `INSERT INTO operator_messages (id, alert, content, created_at)
       VALUES (gen_random_uuid(), 'mail', '{}', now() - $1 * interval '1 second')`,
      [secondsAgo],
    );
  await happened(tenantId, 5);
  await happened(moving, 90_000);
  await stored(5);
  expect(await readWaitingMessages(pool)).toMatchObject({
    waitingHealthEvents: { count: 1, oldestDateTime: expect.any(Date) },
    waitingOperatorMessages: { count: 1, oldestDateTime: expect.any(Date) },
  });
  expect(await describeLateMessages(pool)).toEqual([]);
  await happened(tenantId, 7_200);
  await stored(86_400);
  expect(await describeLateMessages(pool)).toEqual([
    '2 events of WebhookHealth wait to be made, the oldest for 2 hours.',
    'OPERATOR_ALERT_URL has not taken 2 messages about alerts of the installation, the oldest for 1 day.',
  ]);
});
