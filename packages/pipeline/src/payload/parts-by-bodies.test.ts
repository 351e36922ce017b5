import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { continueChainOf, readNextCallouts, setDigestPeriod } from '../digest/chain.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { partsByBodies } from './callout-bodies.ts';

const database = useDatabase(createDisposableDatabase);
const megabyte = 1024 * 1024;
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;
let key: number;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
  key = tenant.keys[0] ?? 0;
});

async function addAll(megabytes: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [nth, size] of megabytes.entries()) ids.push(await tenant.add(nth + 1, 0, 'x'.repeat(size * megabyte)));
  return ids;
}

describe('callouts with long bodies', () => {
  it('are divided into parts that fit into memory, in their order', async () => {
    const ids = await addAll([3, 3, 3, 3, 1, 20, 1]);
    const parts = (idsOf: (id: string) => string[]) => partsByBodies(database.pool, ids, idsOf);
    expect(await parts((id) => [id])).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6), ids.slice(6)]);
    // Those of one item are read together.
    const together = await parts((id) => (id === ids[0] ? ids : [id]));
    expect(together).toEqual([[0], [1, 2], [3, 4], [5], [6]].map((part) => part.map((nth) => ids[nth])));
    expect(await partsByBodies(database.pool, [], () => [])).toEqual([]);
  });

  it('that are short are one part', async () => {
    const ids = [await tenant.add(1), await tenant.add(2)];
    expect(await partsByBodies(database.pool, ids, (id) => [id])).toEqual([ids]);
  });

  it('are read by a chain in several steps, none of which is left out', async () => {
    await inTransaction(database.pool, (transaction) => setDigestPeriod(transaction, key, 'hour'));
    await addAll(Array<number>(10).fill(1));
    const first = await readNextCallouts(database.pool, key, 0, 500);
    expect(first.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4]);
    const steps: number[] = [];
    for (let added = -1; added !== 0;) steps.push((added = await continueChainOf(database.pool, key)));
    expect(steps).toEqual([4, 4, 2, 0]);
  });
});
