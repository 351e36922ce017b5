import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultSettings } from '@callout/webhooks/settings/settings';
import { shownSettings, type ReceiverSecrets } from '@callout/domain/receiver/receiver-settings';
import { receiverColumns } from '@callout/webhooks/receiver-columns';
import {
  eventually,
  forThisFile,
  makeOwnCertificate,
  startScriptedReceiver,
  type ScriptedReceiver,
} from '@callout/testing';
import { useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const worker = useWorker({ RETRY_SCHEDULE: '20ms,20ms', CALLOUT_TIMEOUT_MS: '2000' });
const receiver = forThisFile(startScriptedReceiver, (started) => started.stop());
const [server, client] = [makeOwnCertificate(), makeOwnCertificate()];
const tls = { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true };
const mutual = forThisFile(
  () => startScriptedReceiver({ tls }),
  (started) => started.stop(),
);
const elsewhere = forThisFile(startScriptedReceiver, (started) => started.stop());
const secretKey = 'a secret of the receiver';
let webhook: WebhookUnderTest;

beforeEach(async () => {
  webhook = await aWebhook(worker, { urlOf: (path) => receiver.url(path), secretKey });
});

/** Stores what the calls of the webhook carry, as the API does. */
async function give(secrets: Partial<ReceiverSecrets>, settings: object = {}): Promise<void> {
  const all: ReceiverSecrets = { requestHeaders: [], receiverAuth: { kind: 'none' }, ...secrets };
  const columns = receiverColumns(worker.keyRing, webhook, all);
  await worker.database.prisma.webhook.update({
    where: { key: webhook.webhookKey },
    data: { ...shownSettings(all), ...columns, ...settings, version: { increment: 1 } },
  });
}

const oauth2 = (path: string) =>
  ({
    kind: 'oauth2',
    tokenUrl: receiver.url(path),
    clientId: 'callout',
    clientSecret: 'a client secret',
    clientAuthentication: 'client_secret_basic',
    scope: null,
    audience: null,
    tokenCaCertificate: null,
  }) as const;

const headersAt = (where: ScriptedReceiver, path: string) => where.requests(path).map(({ headers }) => headers);

/** Everything that is stored of its attempts, as text. */
async function log(): Promise<string> {
  const rows = await worker.database.pool.query(
    `SELECT a.request_headers, a.response_headers, convert_from(a.response_body, 'UTF8') AS body, a.failure FROM attempts a
     WHERE webhook_key = $1`,
    [webhook.webhookKey],
  );
  return JSON.stringify(rows.rows);
}

describe('what a webhook sends to its receiver beside the signature', () => {
  it('goes with callouts and retries; the log has the names of headers, and no value even of a receiver that echoes', async () => {
    const requestHeaders = [
      { name: 'X-Api-Key', value: 'the key of a gateway' },
      { name: 'x-tenant', value: 'acme' },
    ];
    await give({ requestHeaders, receiverAuth: { kind: 'basic', userName: 'mé', password: 'pass:wörd' } });
    receiver.script(webhook.callouts, ({ headers }, nth) => ({
      status: nth === 1 ? 500 : 200,
      headers: { 'X-Echo': String(headers['x-api-key']) },
      body: JSON.stringify({ headers, password: 'pass:wörd' }),
    }));
    await webhook.change(1);
    await webhook.allEnded();
    const basic = Buffer.from('mé:pass:wörd').toString('base64');
    const expected = { 'x-api-key': 'the key of a gateway', 'x-tenant': 'acme', authorization: `Basic ${basic}` };
    expect(headersAt(receiver, webhook.callouts)).toMatchObject([expected, expected]);
    const stored = await log();
    for (const name of ['X-Api-Key', 'x-tenant', 'Authorization']) expect(stored).toContain(`"${name}":"<redacted>"`);
    for (const secret of ['the key of a gateway', 'pass:wörd', basic]) expect(stored).not.toContain(secret);
  });

  it('goes with a deactivation call to the same host, and never to another one', async () => {
    for (const [deactivationUrl, at] of [
      [receiver.url(webhook.deactivations), receiver],
      [elsewhere.url(webhook.deactivations), elsewhere],
    ] as const) {
      await give({ receiverAuth: { kind: 'bearer', token: 'a-token-of-the-receiver' } }, { deactivationUrl });
      await webhook.update({ isActive: false });
      await eventually(() => at.count(webhook.deactivations) === 1);
      await webhook.allEnded();
      await webhook.update({ isActive: true });
    }
    expect(headersAt(receiver, webhook.deactivations)[0]).toMatchObject({
      authorization: 'Bearer a-token-of-the-receiver',
    });
    expect(headersAt(elsewhere, webhook.deactivations)[0]?.authorization).toBeUndefined();
    expect(headersAt(elsewhere, webhook.deactivations)[0]).toHaveProperty('webhook-signature');
  });

  it('may be a token, which is renewed within the attempt when the receiver refuses it', async () => {
    receiver.script('/token', (_request, nth) => ({
      status: 200,
      body: JSON.stringify({ access_token: `issued-token-${nth}`, token_type: 'Bearer', expires_in: 600 }),
    }));
    await give({ receiverAuth: oauth2('/token') });
    let valid = 'issued-token-1';
    receiver.script(webhook.callouts, ({ headers }) => ({
      status: headers.authorization === `Bearer ${valid}` ? 200 : 401,
      body: String(headers.authorization),
    }));
    await webhook.change(1);
    await webhook.allEnded();
    valid = 'issued-token-2';
    await webhook.change(1);
    await webhook.allEnded();
    expect((await webhook.stored()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect((await webhook.attempts()).map(({ status }) => status)).toEqual([200, 200]);
    expect(receiver.count(webhook.callouts)).toBe(3);
    expect(receiver.count('/token')).toBe(2);
    // A receiver that accepts none is a failed attempt. The token has just been renewed, so no other is fetched.
    valid = 'none';
    await webhook.change(1);
    await webhook.allEnded();
    const calls = receiver.count(webhook.callouts) - 3;
    const attempts = (await webhook.attempts()).filter(({ status }) => status === 401);
    expect(calls).toBe(attempts.length);
    expect(receiver.count('/token')).toBe(2);
    expect(await log()).not.toContain('issued-token');
  });

  it('may be a token whose endpoint is down: a failure of the receiver in words, which is retried', async () => {
    receiver.script('/down', (_request, nth) =>
      nth <= 2 ? { status: 503 } : { status: 200, body: JSON.stringify({ access_token: 'late', expires_in: 60 }) },
    );
    await give({ receiverAuth: oauth2('/down') });
    await webhook.change(1);
    await webhook.allEnded();
    const attempts = await webhook.attempts();
    expect(attempts.map(({ failureReason }) => failureReason)).toEqual(['tokenFailed', 'tokenFailed', null]);
    expect(attempts[0]?.failure).toContain(
      `The token endpoint 127.0.0.1:${receiver.port} gave no token: it answered 503.`,
    );
    expect(receiver.count(webhook.callouts)).toBe(1);
    expect(await log()).not.toContain('a client secret');
  });

  it('may be a client certificate, with an authority of its own for the receiver', async () => {
    const mtls = { kind: 'mtls', certificate: client.cert, privateKey: client.key } as const;
    const webhookUrl = mutual.url(webhook.callouts);
    await give({ receiverAuth: mtls }, { webhookUrl });
    await webhook.change(1);
    await webhook.allEnded();
    await give({ receiverAuth: mtls }, { webhookUrl, caCertificate: server.cert });
    await webhook.change(2);
    await webhook.allEnded();
    expect((await webhook.stored()).map(({ state }) => state)).toEqual(['failed', 'delivered']);
    expect((await webhook.attempts())[0]?.failure).toContain(
      'is self-signed, or signed by an authority that is not trusted',
    );
    expect(mutual.count(webhook.callouts)).toBe(1);
  });

  it('is nothing by default', () => {
    expect(defaultSettings).toMatchObject({
      requestHeaders: '[]',
      receiverAuth: '{"kind":"none"}',
      caCertificate: null,
    });
  });
});
