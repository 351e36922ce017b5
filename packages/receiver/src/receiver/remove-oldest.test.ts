import { expect, it } from '@jest/globals';
import { oldestRemover } from './remove-oldest.ts';

it('removes what was put in longest ago, also after many others and what was put in anew', () => {
  const entries = new Map<number, null>();
  const removeOldest = oldestRemover(entries);
  let expected: number[] = [];
  for (let id = 0; id < 3_000; id += 1) {
    // One is used all the time, and some are taken out again.
    const [gone, used] = [id % 10 === 9 ? id - 4 : undefined, 3];
    for (const one of [id, used]) {
      entries.delete(one);
      entries.set(one, null);
    }
    if (gone !== undefined) entries.delete(gone);
    expected = [...expected.filter((one) => one !== used && one !== id && one !== gone), ...new Set([id, used])];
    expected = expected.filter((one) => one !== gone);
    if (entries.size <= 50) continue;
    removeOldest();
    expected.shift();
  }
  expect([...entries.keys()]).toEqual(expected);
});
