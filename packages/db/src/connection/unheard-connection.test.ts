import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { inTransaction, openDatabase, openSearchPool } from './database.ts';
import { isDatabaseAway } from './database-away.ts';

/** A message of PostgreSQL's protocol: its kind, its length, and what it says. */
function message(kind: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(kind), length, content]);
}

/** What a server sends that shuts down during a connection attempt: welcome, ready and goodbye, all at once. */
const farewell = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('Z', Buffer.from('I')),
  message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
]);

async function startLeavingServer() {
  const server = createServer((socket) => socket.once('data', () => socket.end(farewell)).on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `postgres://callout@127.0.0.1:${(server.address() as AddressInfo).port}/callout` };
}

describe('a connection that ends in the moment in which it is handed out', () => {
  it('fails what it was wanted for and does not end the process', async () => {
    const { server, url } = await startLeavingServer();
    const options = { url, poolSize: 2, applicationName: 'callout-test', onError: () => undefined };
    const database = openDatabase(options);
    const searchPool = openSearchPool(options);
    const works = [
      () => inTransaction(database.pool, (transaction) => transaction.query('SELECT 1')),
      () => inTransaction(searchPool, (transaction) => transaction.query('SELECT 1')),
      () => database.pool.query('SELECT 1'),
      () => database.prisma.$transaction((transaction) => transaction.tenant.count()),
    ];
    for (const work of works) {
      const error: unknown = await work().then(
        () => 'done',
        (cause: unknown) => cause,
      );
      expect(isDatabaseAway(error)).toBe(true);
    }
    await Promise.all([database.close(), searchPool.end()]);
    server.close();
  });
});
