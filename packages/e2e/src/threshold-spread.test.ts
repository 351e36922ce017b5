import { expect, it } from '@jest/globals';
import { eventually, useCallout } from '@callout/testing';

const LIMIT = 400;
const FREE = 300;
/** More than the last quarter of the limit. */
const CHANGES = 150;
/** Until what was counted before the test is an hour old. */
const LEAVE_IN_S = 40;

const callout = useCallout();

it('three workers spread the last quarter of a threshold, and together never send more than its limit', async () => {
  await Promise.all([callout.worker(), callout.worker()]);
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  const { pool } = callout.database;
  const { rows: owners } = await pool.query<{ id: number }>('SELECT tenant_id AS id FROM webhooks');
  const tenantId = owners[0]?.id;
  await pool.query("UPDATE tenants SET callout_threshold = $2, threshold_mode = 'spread' WHERE id = $1", [
    tenantId,
    LIMIT,
  ]);
  const { rows: began } = await pool.query<{ second: Date }>(
    `INSERT INTO threshold_windows (tenant_id, entity_type, used, second, second_used)
     VALUES ($1, 'Account', $2, date_trunc('second', now()) - $3 * interval '1 second', $2) RETURNING second`,
    [tenantId, FREE, 3_600 - LEAVE_IN_S],
  );
  const leavesAt = (began[0]?.second.getTime() ?? 0) + 3_600_000;

  const changes = Array.from({ length: CHANGES }, (_, nth) => ({
    ...{ entityType: 'Account', action: 'Update', id: nth + 1 },
    fields: { companyName: 'changed' },
  }));
  await callout.send(tenant, ...changes);
  await eventually(
    async () => new Set(webhook.requests().map(({ headers }) => headers['webhook-id'])).size === CHANGES,
  );

  const { rows: seconds } = await pool.query<{ second: Date; used: number }>(
    `SELECT second, used FROM threshold_use WHERE tenant_id = $1
     UNION ALL SELECT second, second_used FROM threshold_windows WHERE tenant_id = $1`,
    [tenantId],
  );
  const counts = (from: number, to: number): number[] =>
    seconds.filter(({ second }) => +second >= from && +second < to).map(({ used }) => used);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const spread = counts(leavesAt - LEAVE_IN_S * 1_000, leavesAt);
  expect(sum(spread)).toBeGreaterThan(0);
  expect(FREE + sum(spread)).toBeLessThanOrEqual(LIMIT);
  // Not all at once: the pace is at most the rest over these 40 s, and no more than 5 s of it are made up for.
  expect(Math.max(...spread)).toBeLessThanOrEqual((LIMIT - FREE) / 5);
  // What was counted before has left the hour, and everything else is counted in it once.
  expect(sum(spread) + sum(counts(leavesAt, Infinity))).toBe(CHANGES);
});
