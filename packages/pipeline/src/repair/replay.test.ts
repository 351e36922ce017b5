import { beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createDisposableDatabase } from '@callout/local/test-run';
import { idNear } from '@callout/database/schema/ids';
import { delivered, failed } from '../fixtures/callouts.ts';
import { useMerging } from '../match/merge/merging.fixture.ts';
import { matchDeps } from '../match/match-deps.fixture.ts';
import { replayMissed, type ReplayRange } from './replay.ts';

const setup = useMerging(createDisposableDatabase);
const everything: ReplayRange = { since: new Date(0), until: null };
const cities = ['Oslo', 'Bergen', 'Bodo', 'Alta'];

/** A webhook on companies that does not merge, unless asked to. */
async function aWebhook({ merges = false } = {}) {
  const webhook = await setup.makeWebhook();
  const { key, address, tenantId } = webhook;
  const { pool } = setup.database;
  const query = async <Row>(text: string, values: unknown[] = []) =>
    (await pool.query<Row & object>(text, values)).rows;
  const { catalogue } = await matchDeps(setup.database, (error) => {
    throw error;
  });
  const enqueued: number[] = [];
  const deps = {
    database: setup.database,
    catalogue,
    enqueueDeliver: (keys: number[]) => void enqueued.push(...keys),
  };
  await query('UPDATE webhooks SET merge_while_waiting = $2 WHERE key = $1', [key, merges]);
  return {
    ...webhook,
    query,
    enqueued,
    switchTo: (isActive: boolean) =>
      query(
        'UPDATE webhooks SET is_active = $2, activated_at = CASE WHEN $2 THEN now() ELSE activated_at END, version = version + 1 WHERE key = $1',
        [key, isActive],
      ),
    replay: (range: Partial<ReplayRange> = {}, isDryRun = false) =>
      replayMissed(deps, address, { ...everything, ...range }, { isDryRun }),
    verdicts: async () =>
      (
        await query<{ verdicts: Record<string, unknown> }>(
          'SELECT verdicts FROM event_matches WHERE tenant_id = $1 ORDER BY event_id',
          [tenantId],
        )
      ).map(({ verdicts }) => verdicts),
    replayed: async () =>
      (
        await query<{ n: number }>(
          'SELECT sequence_number::int AS n FROM callouts WHERE webhook_key = $1 AND is_replayed ORDER BY 1',
          [key],
        )
      ).map(({ n }) => n),
  };
}

describe('what a webhook missed while it was inactive', () => {
  let webhook: Awaited<ReturnType<typeof aWebhook>>;

  /** Two records exist and were delivered; then two changes of the first and one of the second are missed. */
  beforeEach(async () => {
    webhook = await aWebhook();
    for (const recordId of [1, 2]) await webhook.change('Create', { city: 'Rome' }, recordId);
    await webhook.deliverAll(delivered);
    await webhook.switchTo(false);
    await webhook.change('Update', { city: 'Oslo' }, 1);
    await webhook.change('Update', { city: 'Bergen' }, 2);
    await webhook.change('Update', { city: 'Bodo' }, 1);
  });

  it('is made into callouts with the next numbers, in order, once', async () => {
    await webhook.switchTo(true);
    expect(await webhook.replay({}, true)).toEqual({ queued: 3, older: 0 });
    expect(await webhook.lines()).toHaveLength(2);
    expect(await webhook.replay()).toEqual({ queued: 3, older: 0 });
    expect(webhook.enqueued).toEqual([webhook.key]);
    expect(await webhook.lines()).toEqual([
      '1 delivered Create',
      '2 delivered Create',
      '3 due Update',
      '4 due Update',
      '5 waiting Update',
    ]);
    expect(await webhook.replayed()).toEqual([3, 4, 5]);
    expect(await webhook.replay()).toEqual({ queued: 0, older: 0 });
    const sent = await webhook.deliverAll(delivered);
    expect(sent.map((body) => [body['Id'], body['Fields']])).toEqual([
      [1, expect.objectContaining({ City: 'Oslo' })],
      [2, expect.objectContaining({ City: 'Bergen' })],
      [1, expect.objectContaining({ City: 'Bodo' })],
    ]);
    for (const body of sent) expect(Object.keys(body)).not.toContain('replayed');
  });

  it('is judged by the present configuration, which replaces the verdict', async () => {
    await webhook.query('UPDATE webhooks SET is_subscribed_to_update_events = false WHERE key = $1', [webhook.key]);
    await webhook.switchTo(true);
    expect(await webhook.replay()).toEqual({ queued: 0, older: 0 });
    expect((await webhook.verdicts()).slice(2)).toEqual(
      Array.from({ length: 3 }, () => ({ actionNotSubscribed: [[webhook.key, 3]] })),
    );
  });

  it('has the numbers of its callouts in the verdicts, beside those of other webhooks', async () => {
    await webhook.query(
      `UPDATE event_matches SET verdicts = jsonb_set(verdicts::jsonb, '{inactive}', (verdicts::jsonb -> 'inactive') || '[[1, 7]]')::json
       WHERE tenant_id = $1 AND verdicts::jsonb ? 'inactive'`,
      [webhook.tenantId],
    );
    await webhook.switchTo(true);
    await webhook.replay();
    expect((await webhook.verdicts()).slice(2)).toEqual(
      [3, 4, 5].map((number) => ({ inactive: [[1, 7]], passed: [[webhook.key, 3, number]] })),
    );
  });

  it('can be narrowed to a time, a record and an action', async () => {
    await webhook.switchTo(true);
    expect(await webhook.replay({ until: new Date(0) })).toMatchObject({ queued: 0 });
    expect(await webhook.replay({ since: new Date(Date.now() + 60_000) })).toMatchObject({ queued: 0 });
    expect(await webhook.replay({ actions: ['Delete'] })).toMatchObject({ queued: 0 });
    expect(await webhook.replay({ recordId: 2 })).toMatchObject({ queued: 1 });
    expect(await webhook.replay()).toMatchObject({ queued: 2 });
  });

  it('includes an event that was pending when the webhook became active, and none from before the webhook was made', async () => {
    const pending = await webhook.store('Update', { city: 'Alta' }, 2);
    await webhook.switchTo(true);
    await webhook.query("UPDATE webhooks SET activated_at = now() + interval '1 second' WHERE key = $1", [webhook.key]);
    await webhook.match(pending);
    expect((await webhook.verdicts()).at(-1)).toMatchObject({ acceptedBeforeActivation: [[webhook.key, 3]] });
    await webhook.query(
      "UPDATE events SET accepted_at = '2020-01-01' WHERE tenant_id = $1 AND record_id = 1 AND action = 'Update'",
      [webhook.tenantId],
    );
    expect(await webhook.replay()).toMatchObject({ queued: 2 });
  });

  it('says how many are older than what was delivered since', async () => {
    await webhook.switchTo(true);
    await webhook.change('Update', { city: 'Alta' }, 1);
    await webhook.deliverAll(delivered);
    expect(await webhook.replay({}, true)).toEqual({ queued: 3, older: 2 });
  });

  it('comes behind what is open of the same record, and counts for the threshold as a first attempt', async () => {
    await webhook.switchTo(true);
    await webhook.change('Update', { city: 'Alta' }, 1);
    await webhook.replay();
    expect((await webhook.lines()).slice(2)).toEqual([
      '3 due Update',
      '4 waiting Update',
      '5 due Update',
      '6 waiting Update',
    ]);
    expect(
      (await webhook.claim()).map(({ isRedelivery, attemptsMade, acceptedAt }) => [
        isRedelivery,
        attemptsMade,
        acceptedAt === null,
      ]),
    ).toEqual([
      [false, 0, false],
      [false, 0, true],
    ]);
  });

  it('is refused while the webhook is inactive', async () => {
    await expect(webhook.replay()).rejects.toMatchObject({ kind: 'conflict' });
    await expect(webhook.replay({}, true)).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('keeps the order of a record whose events have ids of a clock that was behind', async () => {
    const [first] = await webhook.query<{ id: string }>(
      "SELECT id FROM events WHERE tenant_id = $1 AND record_id = 1 AND action = 'Update' ORDER BY id LIMIT 1",
      [webhook.tenantId],
    );
    const later = idNear(first?.id ?? '', 1_800_000);
    await webhook.query('UPDATE event_matches SET event_id = $2 WHERE event_id = $1', [first?.id, later]);
    await webhook.query('UPDATE events SET id = $2 WHERE id = $1', [first?.id, later]);
    await webhook.switchTo(true);
    await webhook.replay();
    const sent = await webhook.deliverAll(delivered);
    expect(sent.filter((body) => body['Id'] === 1).map((body) => body['Fields'])).toEqual([
      expect.objectContaining({ City: 'Oslo' }),
      expect.objectContaining({ City: 'Bodo' }),
    ]);
  });

  it('is made once, however many ask at the same time', async () => {
    await webhook.switchTo(true);
    const counts = await Promise.all([webhook.replay(), webhook.replay(), webhook.replay()]);
    expect(counts.reduce((sum, { queued }) => sum + queued, 0)).toBe(3);
    expect(await webhook.lines()).toHaveLength(5);
  });
});

describe('after any history of changes, deactivations and replays', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('change' as const), recordId: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('switch' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('deliver' as const, 'fail' as const) }) },
  );

  it.each([false, true])(
    'each event has one callout, numbers have no gap, and the last value of a record is known (merging: %s)',
    async (merges) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const webhook = await aWebhook({ merges });
          let isActive = true;
          let changes = 0;
          for (const one of steps) {
            if (one.kind === 'change') {
              changes += 1;
              await webhook.change('Update', { city: `${cities[changes % 4]} ${changes}` }, one.recordId);
            } else if (one.kind === 'switch') {
              isActive = !isActive;
              await webhook.switchTo(isActive);
            } else if (one.kind === 'replay') {
              if (isActive) await webhook.replay();
            } else if (isActive) await webhook.deliverAll(one.kind === 'deliver' ? delivered : failed);
          }
          await webhook.switchTo(true);
          const expected = await webhook.replay({}, true);
          expect(await webhook.replay()).toEqual(expected);
          expect(await webhook.replay()).toMatchObject({ queued: 0 });
          await webhook.deliverAll(delivered);
          const seen = await webhook.look();
          expect(seen.map(({ number }) => number)).toEqual(seen.map((_, nth) => nth + 1));
          expect(seen).toHaveLength(changes);
          const events = await webhook.query('SELECT DISTINCT event_id FROM callouts WHERE webhook_key = $1', [
            webhook.key,
          ]);
          expect(events).toHaveLength(changes);
          expect((await webhook.verdicts()).every((verdicts) => Object.keys(verdicts).join() === 'passed')).toBe(true);
        }),
        { numRuns: 25 },
      );
    },
  );
});
