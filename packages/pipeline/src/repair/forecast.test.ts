import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, failed } from '../fixtures/callouts.ts';
import { failedReasonOf, failedReasons } from '@callout/domain/callout/failed-reason';
import { attemptFailureReasons } from '@callout/domain/outcome/outcome';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { failedReasonSql } from './failed-reason-sql.ts';
import { missed, useRepairs, type Target } from './ended-callouts.fixture.ts';
import { redeliverRange } from './redeliver.ts';

const setup = useRepairs(createDisposableDatabase);
let target: Target;

beforeEach(async () => {
  target = await setup.makeWebhook();
});

const forecast = (range: Partial<CalloutRange> = {}) =>
  redeliverRange(setup.deps, target.address, { ...missed, ...range }, { isDryRun: true });
const redeliver = (range: Partial<CalloutRange> = {}) =>
  redeliverRange(setup.deps, target.address, { ...missed, ...range });

describe('a dry run of a redelivery', () => {
  it('counts the callouts and those that come late, and changes nothing; the redelivery counts the same', async () => {
    await target.make(1, 2, 3, 1);
    await target.deliverAll(failed);
    await target.make(1, 2);
    await target.deliverAll(delivered);
    await target.make(3);
    const states = async () => (await target.look()).map(({ id, state }) => [id, state]);
    const before = await states();
    expect(await forecast()).toEqual({ queued: 4, older: 3 });
    expect(await states()).toEqual(before);
    expect(await redeliver()).toEqual({ queued: 4, older: 3 });
  });

  it('finds none late where what was delivered is older, failed as well, or of another webhook', async () => {
    const other = await setup.makeWebhook();
    await target.make(1);
    await target.deliverAll(delivered);
    await target.make(1, 1);
    await target.deliverAll(failed);
    await other.make(1, 1, 1, 1, 1);
    await other.deliverAll(delivered);
    expect(await forecast()).toEqual({ queued: 2, older: 0 });
  });

  it('counts callouts that were delivered and are sent again with what failed before them', async () => {
    await target.make(1);
    await target.deliverAll(failed);
    await target.make(1);
    await target.deliverAll(delivered);
    const range = { states: ['failed', 'delivered'] } as const;
    expect(await forecast(range)).toEqual({ queued: 2, older: 1 });
    expect(await redeliver(range)).toEqual({ queued: 2, older: 1 });
    expect(await forecast(range)).toEqual({ queued: 0, older: 0 });
  });

  it('counts over several transactions of a redelivery', async () => {
    const { pool } = setup.database;
    await pool.query(
      `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, state, finished_at)
       SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + g), 12, '0') || '7000' || lpad(to_hex($2 * 1000000 + g), 16, '8'))::uuid,
         $1, $2, g, 'Account', 1 + g % 7, 'Update', CASE g WHEN 2500 THEN 'delivered' ELSE 'failed' END, now()
       FROM generate_series(1, 3000) AS g`,
      [target.tenantId, target.key],
    );
    // 2500 is of the record 1 + 2500 % 7 = 2, as are 1, 8, 15 … 2493.
    expect(await forecast()).toEqual({ queued: 2_999, older: 357 });
  });

  it('is refused for a webhook that is not active, like the redelivery', async () => {
    await setup.database.pool.query('UPDATE webhooks SET is_active = false WHERE key = $1', [target.key]);
    await expect(forecast()).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('redelivery by reason', () => {
  it('goes by the last attempt of each callout', async () => {
    const ids = await target.make(1, 2, 3);
    await target.deliverAll(failed);
    const setLast = (id: string | undefined, status: number | null, reason: string | null) =>
      setup.database.pool.query('UPDATE attempts SET status = $2, failure_reason = $3 WHERE callout_id = $1', [
        id,
        status,
        reason,
      ]);
    await setLast(ids[0], 503, null);
    await setLast(ids[1], null, 'timeout');
    await setLast(ids[2], 410, null);
    const states = ['failed'] as const;
    expect(await forecast({ states, reasons: ['status5xx', 'timeout'] })).toMatchObject({ queued: 2 });
    expect(await forecast({ states, reasons: ['status4xx'] })).toMatchObject({ queued: 0 });
    expect(await forecast({ states, reasons: ['timeout'], ids })).toMatchObject({ queued: 1 });
    expect(await redeliver({ states, reasons: ['status410'] })).toMatchObject({ queued: 1 });
    expect(await target.open()).toEqual(['3/3 due']);
    // It fails again, for another reason than before.
    await target.deliverAll(failed);
    await setup.database.pool.query(
      `UPDATE attempts SET status = NULL, failure_reason = 'dnsFailed' WHERE callout_id = $1 AND number = 2`,
      [ids[2]],
    );
    expect(await forecast({ states, reasons: ['status410'] })).toMatchObject({ queued: 0 });
    expect(await forecast({ states, reasons: ['dnsFailed'] })).toMatchObject({ queued: 1 });
  });
});

describe('the reason of a failed callout', () => {
  it('is the same in SQL for every status and every reason of attempts', async () => {
    const attempts = [
      ...[100, 199, 300, 304, 399, 400, 404, 409, 410, 411, 499, 500, 599, 600, 999].map((status) => ({
        status,
        failureReason: null,
      })),
      ...[...attemptFailureReasons, 'unheardOf', 'status5xx', null].map((failureReason) => ({
        status: null,
        failureReason,
      })),
    ];
    const { rows } = await setup.database.pool.query<{ reason: string }>(
      `SELECT ${failedReasonSql('a')} AS reason FROM unnest($1::int[], $2::text[]) AS a (status, failure_reason)`,
      [attempts.map(({ status }) => status), attempts.map(({ failureReason }) => failureReason)],
    );
    expect(rows.map(({ reason }) => reason)).toEqual(attempts.map(failedReasonOf));
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(failedReasons));
  });
});
