import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { rescheduleCallout } from '../deliver/claim.ts';
import { aTenantWithAReceiver, answer } from '../fixtures/receiver.ts';
import { releaseRecovered } from '../repair/retry-now.ts';
import { retrySchedules } from './retry.rules.ts';

const database = useDatabase(createDisposableDatabase);
const { standard } = retrySchedules;

describe('a failing webhook without a due callout', () => {
  /** Three callouts that were tried once, a second or so ago. */
  async function failing(outcome = answer(503)) {
    const receiver = await aTenantWithAReceiver(database);
    for (let recordId = 1; recordId <= 3; recordId += 1) await receiver.add(recordId);
    await receiver.answer(await receiver.claim(), outcome);
    await receiver.query("UPDATE open_callouts SET due_at = now() + interval '30 minutes' WHERE webhook_key = $1");
    return receiver;
  }

  it('is probed with its oldest callout when the time has come, by one worker', async () => {
    const receiver = await failing();
    expect(await receiver.claim()).toEqual([]);
    expect(await receiver.sweep()).toEqual([]);
    await receiver.awaitProbe();
    expect(await receiver.sweep()).toEqual(receiver.keys);
    const [oldest] = await receiver.open();
    const claims = await Promise.all([receiver.claim(), receiver.claim(), receiver.claim()]);
    expect(claims.flat().map(({ id }) => id)).toEqual([oldest?.id]);
    expect(await receiver.sweep()).toEqual([]);
  });

  it.each([
    ['is down', answer(503)],
    ['rejects it', answer(400)],
  ])('loses nothing by a probe when its receiver still %s', async (_, outcome) => {
    const receiver = await failing();
    const before = await receiver.open();
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], outcome);
    expect(await receiver.open()).toEqual(before);
    expect(await receiver.health()).toMatchObject({ failedInRow: 0, probeInS: 54 });
    expect(await receiver.claim()).toEqual([]);
    expect(
      await receiver.query(
        'SELECT number, next_attempt_at > now() AS "isFollowed" FROM attempts WHERE webhook_key = $1 ORDER BY id',
      ),
    ).toEqual([...Array.from({ length: 3 }, () => ({ number: 1, isFollowed: true })), { number: 0, isFollowed: true }]);
  });

  it.each([400, 500])('is found well though it answers %d to its oldest callout for good', async (status) => {
    const receiver = await failing();
    const [first, second, third] = (await receiver.open()).map(({ id }) => id);
    const probed: (string | undefined)[] = [];
    for (const answered of [503, status, status, status, status, 503]) {
      await receiver.awaitProbe();
      const probe = await receiver.claimOne();
      probed.push(probe.id);
      await receiver.answer([probe], answer(answered));
    }
    expect(probed).toEqual([first, first, second, third, first, second]);
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], answer(200));
    await releaseRecovered(database.pool, { atMost: 10, isStopping: () => false });
    expect((await receiver.claim()).map(({ id }) => id)).toEqual([first, third]);
  });

  it('keeps its last attempt through any number of probes', async () => {
    const receiver = await failing();
    const last = standard.waitsMs.length;
    await receiver.query(
      `UPDATE open_callouts SET attempts_made = ${last}, due_at = now() + interval '1 hour' WHERE webhook_key = $1`,
    );
    for (let probe = 0; probe < 30; probe += 1) {
      await receiver.awaitProbe();
      await receiver.answer([await receiver.claimOne()], answer(500));
    }
    expect((await receiver.open()).map(({ attemptsMade }) => attemptsMade)).toEqual([last, last, last]);
    expect(await receiver.health()).toMatchObject({ failedInRow: 0 });
    expect(await receiver.mails()).toEqual([]);
  });

  it('gets everything that waits once a probe is delivered, however short it has been failing', async () => {
    const receiver = await failing();
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], answer(200));
    expect(await receiver.health()).toBeUndefined();
    await releaseRecovered(database.pool, { atMost: 10, isStopping: () => false });
    expect(await receiver.claim()).toHaveLength(2);
  });

  it('is not probed within the wait that its receiver asked for', async () => {
    const receiver = await failing(answer(503, { 'retry-after': '1800' }));
    expect(await receiver.health()).toMatchObject({ probeInS: 1_800 });
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], answer(503, { 'retry-after': '3600' }));
    expect(await receiver.health()).toMatchObject({ probeInS: 3_600 });
  });

  it('is deactivated when a probe is answered 410, as by any attempt', async () => {
    const receiver = await failing();
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], answer(410));
    expect(await receiver.history()).toEqual(['deactivated gone']);
  });

  it('is probed while it is paused, when the pause is over, and a probe that fails makes the pause longer', async () => {
    const receiver = await failing();
    await receiver.query(
      "UPDATE webhook_health SET pauses = 1, paused_until = now() + interval '1 minute', probe_at = now() WHERE webhook_key = $1",
    );
    expect(await receiver.claim()).toEqual([]);
    await receiver.awaitProbe();
    await receiver.answer([await receiver.claimOne()], answer(503));
    expect(await receiver.health()).toMatchObject({ pauses: 2, downInRow: 4 });
  });

  it('keeps the time of the next attempt when a probe could not be made', async () => {
    const receiver = await failing();
    const before = await receiver.open();
    await receiver.awaitProbe();
    await rescheduleCallout(database.pool, await receiver.claimOne(), 1_000);
    expect(await receiver.open()).toEqual(before);
    expect(await receiver.claim()).toEqual([]);
  });

  it('makes real attempts of those that are due in place of a probe', async () => {
    const receiver = await failing();
    await receiver.awaitProbe();
    await receiver.query('UPDATE open_callouts SET due_at = now() WHERE webhook_key = $1 AND record_id = 2');
    const [, second] = await receiver.open();
    const due = await receiver.claimOne();
    expect(due).toMatchObject({ id: second?.id, aheadMs: 0 });
    await receiver.answer([due], answer(503));
    expect((await receiver.open()).map(({ attemptsMade }) => attemptsMade)).toEqual([1, 2, 1]);
  });

  it('is not probed beyond its own rate, nor when its callouts are fetched', async () => {
    const receiver = await failing();
    await receiver.query('UPDATE webhooks SET max_calls_per_second = 0.01 WHERE key = $1');
    await receiver.query(
      "INSERT INTO webhook_rates (webhook_key, next_call_at) VALUES ($1, now() + interval '1 minute')",
    );
    await receiver.awaitProbe();
    expect(await receiver.sweep()).toEqual([]);
    expect(await receiver.claim()).toEqual([]);
    await receiver.query(
      "UPDATE webhooks SET max_calls_per_second = NULL, delivery_mode = 'pull', webhook_url = 'pull:' WHERE key = $1",
    );
    expect(await receiver.sweep()).toEqual([]);
    expect(await receiver.claim()).toEqual([]);
  });
});
