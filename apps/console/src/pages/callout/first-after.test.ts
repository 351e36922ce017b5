import { describe, expect, it } from '@jest/globals';
import { firstAfter, type SequenceRange } from './first-after.ts';

/** A list as the API has it: the newest first, `most` at a time. */
function listOf(numbers: readonly number[], most: number) {
  const asked: SequenceRange[] = [];
  const list = async (range: SequenceRange) => {
    asked.push(range);
    const { fromSequence = 0, toSequence = Infinity } = range;
    const found = numbers.filter((one) => one >= fromSequence && one <= toSequence);
    return found
      .toReversed()
      .slice(0, most)
      .map((sequenceNumber) => ({ sequenceNumber }));
  };
  return { list, asked };
}

describe('firstAfter', () => {
  it.each([
    [[], 5],
    [[5], 5],
    [[5, 6], 5],
    [[1, 5, 9, 12], 5],
    [Array.from({ length: 10 }, (_, index) => index + 1), 3],
    [Array.from({ length: 50 }, (_, index) => 7 * index), 0],
    [[1, ...Array.from({ length: 5_000 }, (_, index) => 1_000_000 + index)], 1],
    [Array.from({ length: 5_000 }, (_, index) => index + 1), 1],
  ])('finds the next number, whatever the record has been through (%#)', async (numbers, after) => {
    const { list, asked } = listOf(numbers, 3);
    const expected = numbers.find((one) => one > after);
    expect((await firstAfter(after, list, 3))?.sequenceNumber).toBe(expected);
    expect(asked.length).toBeLessThan(30);
  });
});
