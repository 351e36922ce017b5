import { expect, it, jest } from '@jest/globals';
import { lowestIdAt, newId } from './ids.ts';

it('ids rise, are all different, and begin with the time at which they were made', () => {
  const before = new Date();
  const ids = Array.from({ length: 20_000 }, () => newId());
  const after = new Date(Date.now() + 1);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect((ids[0] ?? '') >= lowestIdAt(before)).toBe(true);
  expect((ids.at(-1) ?? '') < lowestIdAt(after)).toBe(true);
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u.test(id))).toBe(
    true,
  );
});

it.each([
  ['goes on where it was after a small step back', 30_000, 'rises'],
  ['follows the clock after a large one', 8 * 86_400_000, 'falls'],
])('%s', (_, stepMs, expected) => {
  const clock = jest.spyOn(Date, 'now');
  try {
    const nowMs = performance.timeOrigin + performance.now() + 365 * 86_400_000;
    clock.mockReturnValue(nowMs);
    const before = newId();
    clock.mockReturnValue(nowMs - stepMs);
    const after = newId();
    expect(after > before ? 'rises' : 'falls').toBe(expected);
    if (expected === 'falls') expect(after >= lowestIdAt(new Date(nowMs - stepMs))).toBe(true);
  } finally {
    clock.mockRestore();
    newId();
  }
});
