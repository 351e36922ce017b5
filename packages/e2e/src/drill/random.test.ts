import { describe, expect, it } from '@jest/globals';
import { createRandom } from './random.ts';

const draws = (seed: string) => {
  const random = createRandom(seed);
  return Array.from({ length: 5 }, () => random.between(0, 1_000_000));
};

describe('createRandom', () => {
  it('repeats what a seed has decided, and decides differently for another', () => {
    expect(draws('7')).toEqual(draws('7'));
    expect(draws('7')).not.toEqual(draws('8'));
  });

  it('gives a branch the same decisions, however much was drawn from the others', () => {
    const [calm, busy] = [createRandom('7'), createRandom('7')];
    busy.branch('other').next();
    busy.next();
    expect(busy.branch('mine').next()).toBe(calm.branch('mine').next());
  });

  it('reaches both ends of a range and every choice, and shuffles without loss', () => {
    const random = createRandom('7');
    const seen = new Set(Array.from({ length: 200 }, () => random.between(3, 5)));
    expect(seen).toEqual(new Set([3, 4, 5]));
    expect(new Set(Array.from({ length: 200 }, () => random.pick(['a', 'b'])))).toEqual(new Set(['a', 'b']));
    const things = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = random.shuffle(things);
    expect(shuffled).not.toEqual(things);
    expect(new Set(shuffled)).toEqual(new Set(things));
    expect(shuffled).toHaveLength(things.length);
    expect(() => random.pick([])).toThrow('nothing to pick from');
  });
});
