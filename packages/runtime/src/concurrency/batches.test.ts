import { describe, expect, it } from '@jest/globals';
import { createBatches } from './batches.ts';

/** A write that ends on command. */
function heldWrites() {
  const batches: { items: readonly number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject });
    });
  return { batches, write };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('createBatches', () => {
  it('writes the first item at once and what comes meanwhile together', async () => {
    const { batches, write } = heldWrites();
    const gather = createBatches({ write, gatherMs: 0, maxWeight: 10, concurrency: 1 });
    const results = [1, 2, 3].map((item) => gather.add(item));
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    batches[0]?.finish();
    await settled();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    batches[1]?.finish();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
  });

  it('fills a batch up to its weight and never splits an item', async () => {
    const { batches, write } = heldWrites();
    const gather = createBatches({
      write,
      gatherMs: 60_000,
      maxWeight: 5,
      weigh: (item: number) => item,
      concurrency: 3,
    });
    const results = [2, 2, 9, 1].map((item) => gather.add(item));
    expect(batches.map(({ items }) => items)).toEqual([[2, 2], [9]]);
    expect(gather.weight()).toBe(14);
    for (const batch of batches) batch.finish();
    const drained = gather.drain();
    await settled();
    expect(batches.at(-1)?.items).toEqual([1]);
    batches.at(-1)?.finish();
    await drained;
    expect(await Promise.all(results)).toEqual([20, 20, 90, 10]);
    expect(gather.weight()).toBe(0);
  });

  it('starts at once after it is asked to hurry, and gathers again afterwards', async () => {
    const { batches, write } = heldWrites();
    const gather = createBatches({ write, gatherMs: 3_600_000, maxWeight: 10, concurrency: 1 });
    const first = gather.add(1);
    gather.hurry();
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    batches[0]?.finish();
    await first;
    const second = gather.add(2);
    await settled();
    expect(batches).toHaveLength(1);
    gather.hurry();
    batches[1]?.finish();
    await second;
    gather.hurry();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
  });

  it('gathers no longer than the given time', async () => {
    const { batches, write } = heldWrites();
    const gather = createBatches({ write, gatherMs: 1, maxWeight: 10, concurrency: 1 });
    const results = [gather.add(1), gather.add(2)];
    expect(batches).toEqual([]);
    while (batches.length === 0) await settled();
    expect(batches[0]?.items).toEqual([1, 2]);
    batches[0]?.finish();
    expect(await Promise.all(results)).toEqual([10, 20]);
  });

  it('begins a batch beside another only when it is worth it', async () => {
    const { batches, write } = heldWrites();
    const beside = { leastWeight: 3, patienceMs: 60_000 };
    const gather = createBatches({ write, gatherMs: 0, maxWeight: 10, concurrency: 2, beside });
    const results = [1, 2, 3].map((item) => gather.add(item));
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    results.push(gather.add(4), gather.add(5));
    expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
    for (const batch of batches) batch.finish();
    await settled();
    expect(batches.at(-1)?.items).toEqual([5]);
    batches.at(-1)?.finish();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
  });

  it('begins a batch beside a slow one, with any weight', async () => {
    const { batches, write } = heldWrites();
    const beside = { leastWeight: 3, patienceMs: 1 };
    const gather = createBatches({ write, gatherMs: 0, maxWeight: 10, concurrency: 2, beside });
    const results = [gather.add(1), gather.add(2)];
    while (batches.length === 1) await settled();
    batches[1]?.finish();
    expect(await results[1]).toBe(20);
    batches[0]?.finish();
    expect(await results[0]).toBe(10);
  });

  it('rejects the items of a batch that fails, and goes on with the next', async () => {
    const { batches, write } = heldWrites();
    const gather = createBatches({ write, gatherMs: 0, maxWeight: 10, concurrency: 1 });
    const [first, second] = [gather.add(1), gather.add(2)];
    batches[0]?.fail(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await settled();
    batches[1]?.finish();
    expect(await second).toBe(20);
  });

  it('writes each item alone after a failure that may be the fault of one, and rejects that one', async () => {
    const written: (readonly number[])[] = [];
    const gather = createBatches({
      async write(items: readonly number[]) {
        written.push(items);
        if (items.includes(3)) throw new Error('not 3');
        return items.map((item) => item * 10);
      },
      gatherMs: 0,
      maxWeight: 10,
      concurrency: 1,
      isOneToBlame: (error) => error instanceof Error && error.message === 'not 3',
    });
    const results = await Promise.allSettled([1, 2, 3, 4].map((item) => gather.add(item)));
    expect(results).toMatchObject([{ value: 10 }, { value: 20 }, { reason: { message: 'not 3' } }, { value: 40 }]);
    expect(written).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  });
});
