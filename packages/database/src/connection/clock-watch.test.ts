import { afterEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '../fixtures/own-database.ts';
import { type ClockWatch, createClockWatch } from './clock-watch.ts';

const database = useDatabase(createDisposableDatabase);
const watches: ClockWatch[] = [];

afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

/** A watch on a machine whose clock is `offMs` ahead. */
function watchOn(machine: { offMs: number; elapsedMs?: () => number }): ClockWatch {
  const onError = (error: unknown) => {
    throw error;
  };
  const { elapsedMs } = machine;
  const nowMs = () => Date.now() + machine.offMs;
  const watch = createClockWatch({ client: database.pool, onError, nowMs, ...(elapsedMs && { elapsedMs }) });
  watches.push(watch);
  return watch;
}

describe('the clock of a machine', () => {
  it.each([
    [0, 'right', []],
    [4_000, 'right', []],
    [20_000, 'right', ["the clock of this machine is 20 s ahead of PostgreSQL's: set both by NTP"]],
    [-20_000, 'right', ["the clock of this machine is 20 s behind PostgreSQL's: set both by NTP"]],
    [
      -600_000,
      'wrong',
      [
        "the clock of this machine is 600 s behind PostgreSQL's: set both by NTP. Until then, no worker on it sends anything",
      ],
    ],
    [
      600_000,
      'wrong',
      [
        "the clock of this machine is 600 s ahead of PostgreSQL's: set both by NTP. Until then, no worker on it sends anything",
      ],
    ],
  ])('%d ms ahead of PostgreSQL is %s', async (offMs, verdict, sentences) => {
    const watch = watchOn({ offMs });
    await watch.measure();
    expect(watch.isRight()).toBe(verdict === 'right');
    expect(verdict === 'right' ? watch.notices() : watch.problems()).toEqual(sentences);
    expect(verdict === 'right' ? watch.problems() : watch.notices()).toEqual([]);
  });

  it('is seen to be wrong as soon as it is set, without asking again', async () => {
    const machine = { offMs: 0 };
    const watch = watchOn(machine);
    expect(watch.aheadMs()).toBeNull();
    expect(watch.isRight()).toBe(true);
    await watch.measure();
    machine.offMs = 600_000;
    expect(watch.isRight()).toBe(false);
    machine.offMs = 0;
    expect(watch.isRight()).toBe(true);
  });

  it('is not judged by an answer that took long', async () => {
    let elapsedMs = 0;
    const watch = watchOn({ offMs: 600_000, elapsedMs: () => (elapsedMs += 3_000) });
    await watch.measure();
    expect(watch.aheadMs()).toBeNull();
  });
});
