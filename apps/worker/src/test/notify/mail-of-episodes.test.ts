import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  startScriptedMailServer,
  startScriptedReceiver,
  testRedis,
  type ScriptedMailServer,
  type ScriptedReceiver,
} from '@callout/testing';
import { startWorker, type RunningWorker } from '../fixtures/start-worker.ts';
import { aWebhook } from '../fixtures/webhook-under-test.ts';

const stops: (() => Promise<unknown>)[] = [];
let receiver: ScriptedReceiver;
let mailServer: ScriptedMailServer;
let start: (env?: Record<string, string>) => Promise<RunningWorker>;

beforeAll(async () => {
  const [testDatabase, redis, ...servers] = await Promise.all([
    createTestDatabase(),
    testRedis(),
    startScriptedReceiver(),
    startScriptedMailServer(),
  ]);
  [receiver, mailServer] = servers;
  stops.push(
    () => testDatabase.drop(),
    () => redis.cleanUp(),
    () => receiver.stop(),
    () => mailServer.stop(),
  );
  start = async (env = {}) => {
    const worker = await startWorker(testDatabase.url, redis, {
      RETRY_SCHEDULE: '50ms,50ms,50ms,1h',
      MAIL_GATHER: '0',
      ALERT_AFTER: '300ms',
      OPERATOR_MAIL: 'operator@example.com',
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'callout@example.com',
      ...env,
    });
    stops.push(() => worker.stop());
    return worker;
  };
});

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const subjectsTo = (recipient: string) =>
  mailServer
    .mails()
    .filter(({ recipients }) => recipients.includes(recipient))
    .map(({ subject }) => subject);

describe('mail about episodes', () => {
  it('reports a failing webhook and its recovery, once each, with two workers', async () => {
    const [worker] = [await start(), await start()];
    const webhook = await aWebhook(worker, { urlOf: (path) => receiver.url(path), secretKey: 'a secret' });
    receiver.script(webhook.callouts, { status: 503 });
    await webhook.change(1, 2);
    await eventually(() => expect(subjectsTo('owner@example.com')).toEqual(['Callout - Failing: a webhook']));
    expect(mailServer.mails().find(({ subject }) => subject.includes('Failing'))?.text).toMatch(
      /Deactivation: +Not known yet/u,
    );
    receiver.script(webhook.callouts, { status: 200 });
    await webhook.change(3);
    await eventually(() =>
      expect(subjectsTo('owner@example.com')).toEqual([
        'Callout - Failing: a webhook',
        'Callout - Recovered: a webhook',
      ]),
    );
  });

  it('notifies operators of a problem of the installation, and of its end, also after a restart', async () => {
    const first = await start();
    const { pool } = first.database;
    await pool.query(
      "UPDATE webhooks SET secret_key_id = 'gone' WHERE key = (SELECT min(key) FROM webhooks WHERE deleted_at IS NULL)",
    );
    const alert = 'Callout - Alert: SECRET_KEYS lacks a key in use';
    await eventually(() => expect(subjectsTo('operator@example.com')).toContain(alert));
    await start();
    await pool.query('DELETE FROM webhook_fields');
    await pool.query("UPDATE webhooks SET secret_key_id = 'k1'");
    const over = 'Callout - Alert over: SECRET_KEYS lacks a key in use';
    await eventually(() => expect(subjectsTo('operator@example.com')).toContain(over));
    const ofKeys = subjectsTo('operator@example.com').filter((subject) => subject.endsWith('lacks a key in use'));
    expect(ofKeys).toEqual([alert, over]);
  });
});
