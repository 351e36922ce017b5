import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { startRedisRelay } from '@callout/testing';
import { openDatabase, openSearchPool } from './database.ts';
import { inTransaction } from './transaction/transaction.ts';
import { isDatabaseAway } from './database-away.ts';

/** A message of PostgreSQL's protocol: its type, its length, and its content. */
function message(kind: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(kind), length, content]);
}

/** The messages of a server that shuts down during a connection attempt: welcome, ready and goodbye, all at once. */
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

describe('a connection that ends at the moment when it leaves the pool', () => {
  it('fails its statement and does not end the process', async () => {
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

describe('a server that vanishes silently', () => {
  it('fails a search that waits for its response', async () => {
    const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const relay = await startRedisRelay(disposable.url);
    const options = { url: relay.url, poolSize: 1, applicationName: 'callout-test', onError: () => undefined };
    const pool = openSearchPool({ ...options, answersWithinMs: 500 });
    await pool.query('SELECT 1');
    relay.stall();
    const error: unknown = await pool.query('SELECT 1').catch((cause: unknown) => cause);
    expect(isDatabaseAway(error)).toBe(true);
    relay.mend();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
    await relay.stop();
    await disposable.drop();
  });
});
