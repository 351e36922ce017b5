import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRefresher } from './refresher.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('createRefresher', () => {
  it('refreshes once for all that is asked in a moment, and again for what is asked later', async () => {
    const refresh = jest.fn(async () => undefined);
    const { ask } = createRefresher(refresh);
    for (let n = 0; n < 100; n += 1) ask();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(refresh).toHaveBeenCalledTimes(1);
    ask();
    await jest.advanceTimersByTimeAsync(200);
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it('refreshes ever less often while it is asked all the time, and misses nothing that was asked last', async () => {
    const refresh = jest.fn(async () => undefined);
    const { ask } = createRefresher(refresh);
    for (let ms = 0; ms < 60_000; ms += 100) {
      ask();
      await jest.advanceTimersByTimeAsync(100);
    }
    const during = refresh.mock.calls.length;
    expect(during).toBeLessThan(12);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(refresh).toHaveBeenCalledTimes(during + 1);
  });

  it('goes on after a refresh that failed, and never after it was stopped', async () => {
    const refresh = jest.fn(() => Promise.reject(new Error('away')));
    const { ask, stop } = createRefresher(refresh);
    ask();
    await jest.advanceTimersByTimeAsync(5_000);
    ask();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(refresh).toHaveBeenCalledTimes(2);
    stop();
    ask();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(refresh).toHaveBeenCalledTimes(2);
  });
});
