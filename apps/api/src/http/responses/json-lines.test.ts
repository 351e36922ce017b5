import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { writeLine } from './json-lines.ts';

const line = 'x'.repeat(100_000);
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A response, and its reader, which reads nothing until it is resumed. */
async function exchange(): Promise<{ response: ServerResponse; reader: IncomingMessage }> {
  const server = createServer();
  stops.push(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.on('error', () => undefined).end();
  const [, response] = await asked;
  response.writeHead(200).flushHeaders();
  const [reader] = await answered;
  reader.on('error', () => undefined);
  stops.push(() => void reader.destroy());
  return { response, reader };
}

/** Writes lines until one is not taken. @returns how many were. */
async function pour(response: ServerResponse, patienceMs?: number): Promise<number> {
  let taken = 0;
  while (await writeLine(response, line, patienceMs)) taken += 1;
  return taken;
}

describe('writeLine', () => {
  it('takes the connection of a reader that reads nothing, and holds no more than the line that waits', async () => {
    const { response } = await exchange();
    const pouring = pour(response, 50);
    await once(response, 'close');
    expect(response.writableLength).toBeLessThan(3 * line.length);
    expect(await pouring).toBeGreaterThan(0);
  });

  it('ends when the reader goes while a line waits', async () => {
    const { response, reader } = await exchange();
    const pouring = pour(response);
    await new Promise(setImmediate);
    reader.destroy();
    await pouring;
    expect(response.destroyed).toBe(true);
    expect(await writeLine(response, line)).toBe(false);
  });

  it('goes on when the reader reads', async () => {
    const { response, reader } = await exchange();
    reader.resume();
    for (let count = 0; count < 100; count += 1) expect(await writeLine(response, line)).toBe(true);
    response.end();
    await once(reader, 'end');
  });
});
