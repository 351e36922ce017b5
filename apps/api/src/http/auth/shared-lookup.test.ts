import { describe, expect, it } from '@jest/globals';
import { sharedLookup } from './shared-lookup.ts';

/** A database whose queries a test completes by hand. */
function slowDatabase() {
  const queries: { keys: readonly string[]; respond: () => void; fail: () => void }[] = [];
  const load = (keys: readonly string[]) =>
    new Promise<Map<string, string>>((resolve, reject) => {
      const found = keys.filter((key) => key !== 'unknown').map((key) => [key, `value of ${key}`] as const);
      queries.push({ keys, respond: () => resolve(new Map(found)), fail: () => reject(new Error('away')) });
    });
  return { queries, find: sharedLookup(load) };
}

const settled = () => new Promise(setImmediate);

describe('sharedLookup', () => {
  it('asks once for all that came while a query ran, and once for the same key', async () => {
    const { queries, find } = slowDatabase();
    const first = find('a');
    const later = [find('b'), find('c'), find('b'), find('a')];
    expect(queries.map((query) => query.keys)).toEqual([['a']]);
    queries[0]?.respond();
    await expect(first).resolves.toBe('value of a');
    await settled();
    expect(queries.map((query) => query.keys)).toEqual([['a'], ['b', 'c', 'a']]);
    queries[1]?.respond();
    await expect(Promise.all(later)).resolves.toEqual(['value of b', 'value of c', 'value of b', 'value of a']);
  });

  it('asks once for keys that are different objects and mean the same', async () => {
    const asked: { id: number }[][] = [];
    const find = sharedLookup(
      async (keys: readonly { id: number }[]) => {
        asked.push([...keys]);
        return new Map(keys.map((key) => [key, key.id * 10]));
      },
      ({ id }) => id,
    );
    const first = find({ id: 1 });
    await expect(Promise.all([first, find({ id: 2 }), find({ id: 2 }), find({ id: 3 })])).resolves.toEqual([
      10, 20, 20, 30,
    ]);
    expect(asked).toEqual([[{ id: 1 }], [{ id: 2 }, { id: 3 }]]);
  });

  it('asks for each alone where the database refuses the value of one, so that the others are found', async () => {
    const find = sharedLookup((keys: readonly string[]) =>
      keys.includes('bad\0')
        ? Promise.reject(Object.assign(new Error('invalid byte sequence'), { code: '22021' }))
        : Promise.resolve(new Map(keys.map((key) => [key, key.toUpperCase()]))),
    );
    const results = Promise.allSettled(['first', 'a', 'bad\0', 'b'].map(find));
    await expect(results).resolves.toMatchObject([
      { value: 'FIRST' },
      { value: 'A' },
      { reason: { code: '22021' } },
      { value: 'B' },
    ]);
  });

  it('keeps nothing: the next lookup asks again', async () => {
    const { queries, find } = slowDatabase();
    for (const nth of [0, 1]) {
      const found = find('a');
      await settled();
      queries[nth]?.respond();
      await found;
    }
    expect(queries).toHaveLength(2);
  });

  it('finds nothing where there is nothing', async () => {
    const { queries, find } = slowDatabase();
    const found = find('unknown');
    queries[0]?.respond();
    await expect(found).resolves.toBeUndefined();
  });

  it('fails only the callers that shared the query that failed', async () => {
    const { queries, find } = slowDatabase();
    const first = find('a');
    const second = find('b');
    queries[0]?.fail();
    await expect(first).rejects.toThrow('away');
    await settled();
    queries[1]?.respond();
    await expect(second).resolves.toBe('value of b');
  });
});
