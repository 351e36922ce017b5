import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import type { AlertFormat } from '@callout/domain/alert/alert';
import { createSender } from '@callout/outbound/send';
import { parseCidrs } from '@callout/domain/target/address';
import { forThisFile, startScriptedReceiver } from '@callout/testing';
import { keepAlerts } from './store/installation-alerts.ts';
import { sendOperatorMessages } from './operator-messages.ts';

const database = useDatabase(createDisposableDatabase);
const receiver = forThisFile(
  () => startScriptedReceiver(),
  (one) => one.stop(),
);
const sender = forThisFile(
  async () => createSender({ policy: { allowHttp: true, allowCidrs: parseCidrs(['0.0.0.0/0']) } }),
  (one) => one.close(),
);
const log = { warn: () => undefined } as never;

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, installation_alerts, operator_messages');
});

const look = (...found: 'keys'[]) =>
  keepAlerts(database.pool, {
    checked: ['keys'],
    found: new Map(found.map((name) => [name, { detail: 'Key <k1> & others.' }])),
    recipients: [],
    hasUrl: true,
    overAfterMs: 0,
  });

const send = (path: string, format: AlertFormat = 'json') =>
  sendOperatorMessages({
    pool: database.pool,
    url: receiver.url(path),
    userAgent: 'Callout/1.0',
    style: {
      ...{ format, installation: 'here', console: 'http://10.0.0.5:8082/console' },
      routingKey: format === 'pagerduty' ? 'KEY' : undefined,
    },
    send: (request) => sender.send(request),
    leaseMs: 60_000,
    random: () => 0.5,
    log,
  });

const bodies = (path: string) =>
  receiver.requests(path).map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);

async function left(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int FROM operator_messages');
  return rows[0]?.count ?? 0;
}

describe('an alert of the installation', () => {
  it('is sent once when it begins and once when it is over, however many workers send', async () => {
    await look('keys');
    await look('keys');
    await Promise.all(Array.from({ length: 4 }, () => send('/json')));
    await look();
    await send('/json');
    await send('/json');
    expect(bodies('/json')).toMatchObject([
      {
        state: 'raised',
        alert: 'keys',
        installation: 'here',
        detail: 'Key <k1> & others.',
        advice: ['See which keys are missing: callout admin keys status', expect.any(String)],
        until: null,
        console: 'http://10.0.0.5:8082/console',
      },
      { state: 'over', alert: 'keys', advice: [], until: expect.any(String) },
    ]);
    expect(await left()).toBe(0);
  });

  it('is tried again after a failure, and its end waits for it', async () => {
    receiver.script('/down', (_request, nth) => ({ status: nth === 1 ? 500 : 200 }));
    await look('keys');
    await look();
    await send('/down');
    await send('/down');
    expect(bodies('/down')).toHaveLength(1);
    await database.pool.query('UPDATE operator_messages SET due_at = now()');
    await send('/down');
    await send('/down');
    expect(bodies('/down').map(({ state }) => state)).toEqual(['raised', 'raised', 'over']);
  });

  it('fails after 7 days', async () => {
    receiver.script('/gone', { status: 500 });
    await look('keys');
    await database.pool.query("UPDATE operator_messages SET created_at = now() - interval '7 days'");
    await send('/gone');
    expect(await left()).toBe(0);
  });

  it('opens an alert of PagerDuty and resolves it', async () => {
    await look('keys');
    await send('/pager', 'pagerduty');
    await look();
    await send('/pager', 'pagerduty');
    expect(bodies('/pager')).toMatchObject([
      {
        routing_key: 'KEY',
        event_action: 'trigger',
        dedup_key: 'callout/here/keys',
        payload: { severity: 'critical' },
        links: [{ href: 'http://10.0.0.5:8082/console' }],
      },
      { routing_key: 'KEY', event_action: 'resolve', dedup_key: 'callout/here/keys' },
    ]);
  });

  it('is escaped for Slack', async () => {
    await look('keys');
    await send('/slack', 'slack');
    expect(bodies('/slack')[0]?.['text']).toContain('Key &lt;k1&gt; &amp; others.');
  });
});
