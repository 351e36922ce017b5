import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { readAlertTest, requestAlertTest, takeAlertTest } from './alert-test.ts';

const database = useDatabase(createDisposableDatabase);
const channels = { recipients: ['one@example.com', 'two@example.com'], hasUrl: true };
const take = () => takeAlertTest(database.pool, channels);
const read = () => readAlertTest(database.pool);

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, installation_alerts, operator_messages');
});

describe('a test of the channels of alerts', () => {
  it('is stored for each channel once, however many workers look for it', async () => {
    expect(await take()).toBe(false);
    expect(await read()).toBeUndefined();
    const startDateTime = await requestAlertTest(database.pool);
    expect(await read()).toEqual({ startDateTime, isTaken: false, channels: [] });
    const taken = await Promise.all(Array.from({ length: 4 }, take));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const waiting = { state: 'waiting', attempts: 0, lastError: null };
    expect(await read()).toEqual({
      startDateTime,
      isTaken: true,
      channels: [
        { kind: 'mail', recipient: 'one@example.com', ...waiting },
        { kind: 'mail', recipient: 'two@example.com', ...waiting },
        { kind: 'url', recipient: null, ...waiting },
      ],
    });
  });

  it('has a result for each channel', async () => {
    await requestAlertTest(database.pool);
    await take();
    await database.pool.query("UPDATE notifications SET state = 'refused', attempts = 1, last_error = '550 no'");
    await database.pool.query('UPDATE operator_messages SET attempts = 1');
    expect((await read())?.channels).toMatchObject([
      { state: 'refused', lastError: '550 no' },
      { state: 'refused' },
      { kind: 'url', state: 'waiting', attempts: 1 },
    ]);
    await database.pool.query('TRUNCATE operator_messages');
    expect((await read())?.channels[2]).toMatchObject({ kind: 'url', state: 'sent' });
  });

  it('begins anew, without what the one before has left', async () => {
    await requestAlertTest(database.pool);
    await take();
    await requestAlertTest(database.pool);
    expect(await read()).toMatchObject({ isTaken: false, channels: [] });
    const { rows } = await database.pool.query('SELECT FROM operator_messages');
    expect(rows).toEqual([]);
    expect(await takeAlertTest(database.pool, { recipients: [], hasUrl: false })).toBe(true);
    expect(await read()).toMatchObject({ isTaken: true, channels: [] });
  });
});
