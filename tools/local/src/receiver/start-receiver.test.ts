import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReceivedCallout } from './verify-callout.ts';
import { type Receiver, type ReceiverOptions, startReceiver } from './start-receiver.ts';

const running: Receiver[] = [];

async function receiver(options?: ReceiverOptions): Promise<Receiver> {
  const started = await startReceiver(options);
  running.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

const hookSignature = (secretKey: string, body: string) => ({
  'x-hook-signature': `sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`,
});

async function itemsOf({ url }: Receiver): Promise<ReceivedCallout[]> {
  const answer = (await (await fetch(`${url}/callouts`)).json()) as { items: ReceivedCallout[] };
  return answer.items;
}

describe('startReceiver', () => {
  it('responds with 200 to a callout on any path and returns the arrivals', async () => {
    const one = await receiver();
    const answer = await post(`${one.url}/hooks/a?b=c`, '{"Action":"Create"}', { 'webhook-id': 'msg_1' });
    expect(answer.status).toBe(200);
    expect(await itemsOf(one)).toEqual([
      expect.objectContaining({ number: 1, path: '/hooks/a?b=c', body: '{"Action":"Create"}', isRepeat: false }),
    ]);
  });

  it.each([
    ['/callouts?status=410', 410],
    ['/callouts?a=b&status=503&c=d', 503],
    ['/callouts?status=99', 200],
    ['/callouts?status=2000', 200],
  ])('answers a callout to %s with %d, and keeps it', async (path, status) => {
    const one = await receiver();
    expect((await post(`${one.url}${path}`, '{}')).status).toBe(status);
    expect(await one.callouts()).toHaveLength(1);
  });

  it('knows a repeat by its webhook-id', async () => {
    const one = await receiver();
    for (const id of ['msg_1', 'msg_2', 'msg_1']) await post(one.url, '{}', { 'webhook-id': id });
    expect((await one.callouts()).map(({ isRepeat }) => isRepeat)).toEqual([false, false, true]);
  });

  it('verifies with the secrets it knows, also one that it gets later', async () => {
    const one = await receiver({ secretKeys: ['first secret'] });
    await post(one.url, '{}', hookSignature('first secret', '{}'));
    await post(one.url, '{}', hookSignature('second secret', '{}'));
    expect((await one.callouts()).map((callout) => callout.hookSignature)).toEqual(['verified', 'secret unknown']);
    const command = `curl -X PUT ${one.url}/secretKeys -d '{"secretKey":"…"}'`;
    expect((await one.callouts()).map(({ hint }) => hint)).toEqual([null, expect.stringContaining(command)]);
    expect(await (await fetch(one.url)).text()).toContain('give me the secretKey of this webhook');

    const body = JSON.stringify({ secretKey: 'second secret' });
    for (const _time of ['once', 'again']) {
      const answer = await fetch(`${one.url}/secretKeys`, { method: 'PUT', body });
      expect([answer.status, await answer.json()]).toEqual([200, { secretKeys: 2 }]);
    }
    const verified = { hookSignature: 'verified', hint: null };
    expect(await one.callouts()).toEqual([expect.objectContaining(verified), expect.objectContaining(verified)]);
  });

  it('verifies with public keys that it is given, and reads those at an address when a callout needs them', async () => {
    const pair = generateKeyPairSync('ed25519');
    const { x = '' } = pair.publicKey.export({ format: 'jwk' });
    const jwks = createServer((_request, response) =>
      response.end(JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] })),
    ).listen(0, '127.0.0.1');
    await once(jwks, 'listening');
    const urls: (string | undefined)[] = [undefined, `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/`];
    const [reading, given] = [await receiver({ publicKeysUrl: async () => urls.shift() }), await receiver()];
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign(null, Buffer.from(`msg_1.${timestamp}.{}`), pair.privateKey).toString('base64');
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1a,${signature}` };
    for (const one of [reading, given]) await post(one.url, '{}', headers);
    const unknown = {
      webhookSignature: 'secret unknown',
      verifiedBy: [],
      hint: expect.stringContaining('signingPublicKey'),
    };
    for (const one of [reading, given]) expect(await one.callouts()).toMatchObject([unknown]);
    const secretKey = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
    await fetch(`${given.url}/secretKeys`, { method: 'PUT', body: JSON.stringify({ secretKey }) });
    const verified = { webhookSignature: 'verified', verifiedBy: ['ed25519'], hookSignature: 'missing', hint: null };
    for (const one of [reading, given]) expect(await one.callouts()).toMatchObject([verified]);
    expect(await (await fetch(reading.url)).text()).toContain(
      'webhook-signature: <strong>verified by ed25519</strong>',
    );
    jwks.close();
    jwks.closeAllConnections();
  });

  it('has a secret kept before it says that it knows it', async () => {
    const kept: string[] = [];
    const one = await receiver({ onSecretKey: async (secretKey) => void kept.push(secretKey) });
    await fetch(`${one.url}/secretKeys`, { method: 'PUT', body: '{"secretKey":"a secret"}' });
    expect(kept).toEqual(['a secret']);
  });

  it.each(['', 'null', '[]', '{"secretKey":1}', '{"secretKey":""}', '{"secretKey":"whpk_AAAA"}'])(
    'refuses %j as a secret',
    async (body) => {
      const one = await receiver();
      expect((await fetch(`${one.url}/secretKeys`, { method: 'PUT', body })).status).toBe(400);
    },
  );

  it('keeps the configured number of callouts, the newest', async () => {
    const one = await receiver({ keep: 2 });
    for (const body of ['1', '2', '3']) await post(one.url, body);
    expect((await one.callouts()).map(({ number }) => number)).toEqual([2, 3]);
  });

  it('shows hostile callouts escaped, on a page that runs nothing of theirs', async () => {
    const one = await receiver();
    await post(`${one.url}/<script>path()</script>`, '{"a":"<script>json()</script>"}', {
      'x-note': '<script>head()</script>',
    });
    await post(one.url, '</pre><script>text()</script>');
    const answer = await fetch(one.url);
    const page = await answer.text();
    expect(page).not.toContain('<script>');
    for (const part of ['json', 'head', 'text']) expect(page).toContain(`&lt;script&gt;${part}()`);
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
  });

  it('does not reload its page, but notifies it of each arrival and of new secrets', async () => {
    const one = await receiver();
    expect(await (await fetch(one.url)).text()).not.toContain('http-equiv="refresh"');
    const updates = await fetch(`${one.url}/updates`);
    await post(one.url, '{}', hookSignature('added later', '{}'));
    const versionOf = async () =>
      /<article id="callout-1" data-version="([^"]+)"/.exec(await (await fetch(`${one.url}/list`)).text())?.[1];
    const before = await versionOf();
    one.addSecretKey('added later');
    expect(before).toContain('secret unknown');
    expect(await versionOf()).toContain('verified');
    let streamed = '';
    for await (const chunk of updates.body ?? []) {
      streamed += new TextDecoder().decode(chunk as Uint8Array);
      if (streamed.split('data: ').length === 3) break;
    }
    expect(streamed).toContain('data: changed\n\ndata: changed\n\n');
  });

  it('shows JSON that is too deep to be indented as it came', async () => {
    const one = await receiver();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    await post(`${one.url}/`, deep);
    expect(await (await fetch(one.url)).text()).toContain(deep);
  });

  it('shows nothing to a page that reached it under a foreign name', async () => {
    const one = await receiver();
    const asked = request(`${one.url}/callouts`, { headers: { host: 'evil.example' } });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [{ statusCode: number; resume: () => void }];
    answer.resume();
    expect(answer.statusCode).toBe(403);
  });

  it('keeps nothing of a sender that breaks off or sends too much', async () => {
    const one = await receiver();
    const socket = connect(one.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\nonly this');
    socket.resume().end();
    await once(socket, 'close');
    expect((await post(one.url, 'x'.repeat(5 * 1024 * 1024))).status).toBe(413);
    await post(one.url, 'whole');
    expect((await one.callouts()).map(({ body }) => body)).toEqual(['whole']);
  });

  it('uses another port when its own is in use', async () => {
    const first = await receiver();
    const second = await receiver({ port: first.port });
    expect(second.port).not.toBe(first.port);
    expect((await post(second.url, '{}')).status).toBe(200);
  });
});
