import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import createFastify from 'fastify';
import type { Callout } from './verify/callout.ts';
import { fastifyCallouts } from './fastify.ts';
import { fetchHandler } from './fetch.ts';
import { nodeHandler } from './node.ts';
import { createReceiver, type Receiver } from './receiver/receiver.ts';
import { payload, SECRET, sentCallout, type SentCallout } from './verify/signed-callout.fixture.ts';

const handled: Callout[] = [];
const errors: unknown[] = [];
const receiver = createReceiver({
  secrets: SECRET,
  onCallout: (callout) => handled.push(callout),
  onError: (error) => errors.push(error),
  maxBodyBytes: 1000,
});
const toStop: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(toStop.splice(0).map(async (stop) => stop()));
  handled.length = 0;
  errors.length = 0;
});

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  toStop.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callouts`;
}

async function post(url: string, { body, headers }: SentCallout): Promise<{ status: number; content: unknown }> {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, content: await response.json() };
}

const servers: [string, () => Promise<string>][] = [
  ['node:http', async () => listen(nodeHandler(receiver))],
  [
    'Express',
    async () => {
      const app = express();
      app.post('/callouts', nodeHandler(receiver));
      app.use(express.json());
      return listen(app);
    },
  ],
  [
    'Express behind express.raw()',
    async () =>
      listen(
        express()
          .use(express.raw({ type: '*/*' }))
          .use('/callouts', nodeHandler(receiver)),
      ),
  ],
  [
    'Fastify',
    async () => {
      const app = createFastify();
      app.register(fastifyCallouts, { receiver });
      toStop.push(async () => app.close());
      return `${await app.listen({ host: '127.0.0.1', port: 0 })}/callouts`;
    },
  ],
];

describe.each(servers)('a receiver behind %s', (_name, start) => {
  it('hands over a callout with the bytes that were signed', async () => {
    const url = await start();
    expect(await post(url, sentCallout())).toEqual({ status: 200, content: { received: true } });
    expect(handled).toMatchObject([{ payload }]);
  });

  it('refuses a wrong signature', async () => {
    const url = await start();
    const { status, content } = await post(url, sentCallout({}, { secret: 'another' }));
    expect([status, content]).toMatchObject([401, { error: 'wrong_signature' }]);
    expect(handled).toEqual([]);
  });

  it('refuses a body that is too large, and is there for the next', async () => {
    const url = await start();
    const large = await post(url, sentCallout({ Fields: { Description: 'x'.repeat(2000) } }));
    expect(large.status).toBe(413);
    expect((await post(url, sentCallout())).status).toBe(200);
  });
});

describe('nodeHandler', () => {
  it('says what to do where a parser took the body', async () => {
    const url = await listen(express().use(express.json()).use(nodeHandler(receiver)));
    expect((await post(url, sentCallout())).status).toBe(500);
    expect(String(errors[0])).toContain('Mount the receiver before express.json()');
  });

  it('answers 405 to anything but POST', async () => {
    const response = await fetch(await listen(nodeHandler(receiver)));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('handles nothing of a request that breaks off', async () => {
    const url = new URL(await listen(nodeHandler(receiver)));
    const socket = connect(Number(url.port), url.hostname);
    socket.write('POST /callouts HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf of it', () => socket.destroy());
    await once(socket, 'close');
    expect((await post(url.href, sentCallout())).status).toBe(200);
    expect(handled).toHaveLength(1);
  });

  it('ends a connection whose body has no end', async () => {
    const url = new URL(await listen(nodeHandler(receiver)));
    const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
    socket.write('POST /callouts HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    // Not so fast that a chunk meets a closed connection before the answer has been read.
    const feeding = setInterval(() => socket.write(chunk), 20);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /u);
    expect(answer.toString().toLowerCase()).toContain('connection: close');
    await once(socket, 'close');
    clearInterval(feeding);
  });
});

describe('fastifyCallouts', () => {
  it('reads a body that is too large to its end, so that its sender sees the answer', async () => {
    const app = createFastify();
    app.register(fastifyCallouts, { receiver });
    toStop.push(async () => app.close());
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text) => (answer += String(text)));
    socket.write(
      'POST /callouts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000\r\n\r\n',
    );
    socket.write('x'.repeat(2000));
    const another = await post(`${origin}/callouts`, sentCallout());
    expect([another.status, answer]).toEqual([200, '']);
    socket.end('x'.repeat(1000));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
  });

  it('leaves the parsers of the application alone', async () => {
    const app = createFastify();
    app.register(fastifyCallouts, { receiver, path: '/hooks' });
    app.post('/other', async ({ body }) => ({ body }));
    const { body, headers } = sentCallout();
    const callout = await app.inject({ method: 'POST', url: '/hooks', payload: Buffer.from(body), headers });
    const other = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
    expect([callout.statusCode, other.json()]).toEqual([200, { body: { a: 1 } }]);
    await app.close();
  });
});

describe('fetchHandler', () => {
  const handle = fetchHandler(receiver);
  const request = ({ body, headers }: SentCallout) =>
    new Request('https://receiver.example/callouts', { method: 'POST', body, headers });

  it('hands over a callout', async () => {
    const response = await handle(request(sentCallout()));
    expect([response.status, await response.json()]).toEqual([200, { received: true }]);
    expect(handled).toMatchObject([{ payload }]);
  });

  it('refuses a wrong signature, a large body, an empty one and anything but POST', async () => {
    const statuses = await Promise.all(
      [
        request(sentCallout({}, { secret: 'another' })),
        request(sentCallout({ Fields: { Description: 'x'.repeat(2000) } })),
        new Request('https://receiver.example/callouts', { method: 'POST' }),
        new Request('https://receiver.example/callouts'),
      ].map(async (each) => (await handle(each)).status),
    );
    expect(statuses).toEqual([401, 413, 401, 405]);
  });

  it('says what to do where the body was read before', async () => {
    const read = request(sentCallout());
    await read.text();
    expect((await handle(read)).status).toBe(500);
    expect(String(errors[0])).toContain('Give it the request first');
  });

  it.each([undefined, {}, { params: Promise.resolve({}) }])('takes %j for a context', async (context) => {
    expect((await handle(request(sentCallout()), context)).status).toBe(200);
  });

  it('gives work after the answer to waitUntil', async () => {
    const context = {
      work: [] as Promise<unknown>[],
      waitUntil(promise: Promise<unknown>) {
        this.work.push(promise);
      },
    };
    const first: Receiver = createReceiver({
      secrets: SECRET,
      answer: 'before-handler',
      onCallout: (callout) => handled.push(callout),
    });
    expect((await fetchHandler(first)(request(sentCallout()), context)).status).toBe(202);
    await Promise.all(context.work);
    expect(context.work).toHaveLength(1);
    expect(handled).toHaveLength(1);
  });
});
