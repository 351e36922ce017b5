import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@callout/testing';
import { startHttpServer, type HttpServer } from './server.ts';

const agent = new Agent({ keepAlive: true });
afterEach(() => agent.destroy());

async function fetchText(server: HttpServer, path: string): Promise<string> {
  const request = get({ host: server.host, port: server.port, path, agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}

describe('startHttpServer', () => {
  it('lets what is in flight finish when it closes, and does not wait for idle connections', async () => {
    const inFlight: ServerResponse[] = [];
    const server = await startHttpServer(
      (request, response) => {
        if (request.url === '/fast') response.end('fast');
        else inFlight.push(response);
      },
      '127.0.0.1',
      0,
    );
    await fetchText(server, '/fast');
    const slow = fetchText(server, '/slow');
    await eventually(() => inFlight.length === 1);
    const closed = server.close();
    inFlight[0]?.end('slow');
    await expect(slow).resolves.toBe('slow');
    await closed;
    await expect(fetchText(server, '/fast')).rejects.toThrow(/ECONNREFUSED|hang up/);
  });

  it('says in each response while it closes that the connection ends with it, also to one that was idle', async () => {
    const inFlight: ServerResponse[] = [];
    const server = await startHttpServer(
      (request, response) => {
        if (request.url === '/fast') response.end('fast');
        else inFlight.push(response);
      },
      '127.0.0.1',
      0,
      { idlePatienceMs: 60_000, senderPatienceMs: 60_000 },
    );
    const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [busy, idle] = [connect(server.port, server.host), connect(server.port, server.host)];
    ask(idle, '/fast');
    const [first] = (await once(idle, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/connection: keep-alive/i);
    ask(busy, '/slow');
    await eventually(() => inFlight.length === 1);
    const closed = server.close();
    await eventually(async () => (await fetch(`http://127.0.0.1:${server.port}/fast`).catch(() => null)) === null);
    inFlight[0]?.end('slow');
    expect(await text(busy)).toMatch(/connection: close[^]*slow$/i);
    ask(idle, '/fast');
    expect(await text(idle)).toMatch(/connection: close[^]*fast$/i);
    await closed;
  });

  it('does not wait for a connection on which nothing was ever sent', async () => {
    const server = await startHttpServer((_, response) => response.end('fast'), '127.0.0.1', 0);
    const unused = connect(server.port, server.host);
    await once(unused, 'connect');
    // Connections are accepted in order: once this one gets a response, the server knows the other.
    await fetchText(server, '/fast');
    const cut = once(unused, 'close');
    await server.close();
    await cut;
    expect(unused.bytesRead).toBe(0);
  });

  it('cuts off senders of half requests after a while, and none whose request is complete', async () => {
    const inFlight: ServerResponse[] = [];
    const server = await startHttpServer(
      (request, response) => {
        if (request.method === 'GET') inFlight.push(response);
        else request.resume();
      },
      '127.0.0.1',
      0,
      { senderPatienceMs: 100 },
    );
    const halves = [
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Le',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf',
    ];
    const cut = halves.map(async (half) => {
      const socket = connect(server.port, server.host);
      socket.write(half);
      await once(socket, 'close');
      return socket.bytesRead;
    });
    const slow = fetchText(server, '/slow');
    await eventually(() => inFlight.length === 1);
    const closed = server.close();
    expect(await Promise.all(cut)).toEqual([0, 0]);
    inFlight[0]?.end('slow');
    await expect(slow).resolves.toBe('slow');
    await closed;
  });

  it('cuts off who does not read his response', async () => {
    const beyondBuffers = Buffer.alloc(64 * 2 ** 20);
    let isClosed = false;
    const server = await startHttpServer(
      (_, response) => {
        response.once('close', () => (isClosed = true));
        response.end(beyondBuffers);
      },
      '127.0.0.1',
      0,
      { readerPatienceMs: 200 },
    );
    const idle = connect(server.port, server.host);
    idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => isClosed);
    // Bytes that were sent before still arrive.
    idle.resume();
    await once(idle, 'close');
    expect(idle.bytesRead).toBeLessThan(beyondBuffers.length);
    await server.close();
  });

  it('serves pipelined requests one after another, and sends their responses in order', async () => {
    const inFlight: ServerResponse[] = [];
    const begun: string[] = [];
    const server = await startHttpServer(
      ({ url = '' }, response) => {
        begun.push(url);
        inFlight.push(response);
      },
      '127.0.0.1',
      0,
    );
    const client = connect(server.port, server.host);
    client.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    for (const nth of [1, 2, 3]) {
      await eventually(() => begun.length >= nth);
      expect(begun.at(-1)).toBe(`/${nth}`);
      inFlight[nth - 1]?.end(`response ${nth}`);
    }
    const closed = server.close();
    expect(await text(client)).toMatch(/response 1[^]*response 2[^]*response 3$/);
    await closed;
  });

  it('closes the connection of a client that sends hundreds of requests and reads no response', async () => {
    let served = 0;
    const server = await startHttpServer(() => (served += 1), '127.0.0.1', 0);
    const client = connect(server.port, server.host).on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000));
    await once(client, 'close');
    expect(served).toBe(1);
    await server.close();
  });

  it('rejects when the port is in use', async () => {
    const server = await startHttpServer((_, response: ServerResponse) => response.end(), '127.0.0.1', 0);
    await expect(startHttpServer((_, response) => response.end(), '127.0.0.1', server.port)).rejects.toThrow(
      'EADDRINUSE',
    );
    await server.close();
  });
});
