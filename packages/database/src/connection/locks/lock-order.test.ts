import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import type { Pool } from 'pg';
import { openDatabase, type Database, type Transaction } from '../database.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { lockRanks, noteLocks, type LockRank } from './lock-order.ts';

let disposable: DisposableDatabase;
let database: Database;
let pool: Pool;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  database = openDatabase({ url: disposable.url, poolSize: 1, applicationName: 'test', onError: () => undefined });
  pool = database.pool;
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

function lock(transaction: Transaction, rank: LockRank, unlessHeld = false): void {
  noteLocks(transaction, `lock_${rank}`, [{ rank, unlessHeld }]);
}

const locking = (...ranks: readonly LockRank[]) =>
  inTransaction(pool, async (transaction) => ranks.forEach((rank) => lock(transaction, rank)));

it('a transaction may lock all ranks in their order, and one of them several times in a row', async () => {
  await expect(locking(...lockRanks)).resolves.toBeUndefined();
  await expect(locking('webhooks', 'open_callouts', 'open_callouts')).resolves.toBeUndefined();
});

it('a transaction that locks out of order fails, and names the lock that came too late', async () => {
  await expect(locking('open_callouts', 'webhook_health')).rejects.toThrow(
    'lock_webhook_health locks rows of webhook_health, but its transaction has locked rows of open_callouts already: lockRanks says in which order',
  );
  await expect(locking('webhooks', 'open_callouts', 'webhooks')).rejects.toThrow(
    'locked rows of open_callouts already',
  );
});

it('each transaction starts without locks on the same connection, also after a failure', async () => {
  await expect(locking('callouts')).resolves.toBeUndefined();
  await expect(locking('callouts', 'records')).rejects.toThrow('lock_records');
  await expect(locking('records')).resolves.toBeUndefined();
});

it('rows that the transaction has locked may be locked again where a statement says so', async () => {
  const again = (first: LockRank) =>
    inTransaction(pool, async (transaction) => {
      lock(transaction, first);
      lock(transaction, 'open_callouts');
      lock(transaction, 'webhook_health', true);
    });
  await expect(again('webhook_health')).resolves.toBeUndefined();
  await expect(again('webhooks')).rejects.toThrow('lock_webhook_health');
});

it('a statement that is its own transaction is not checked', () => {
  noteLocks(pool, 'alone', [{ rank: 'callouts', unlessHeld: false }]);
  expect(() => noteLocks(pool, 'alone', [{ rank: 'records', unlessHeld: false }])).not.toThrow();
});
