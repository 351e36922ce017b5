import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createPriorities, priorityOfRepeats, shareOf, timeOf } from './priorities.ts';

const minuteMs = 60_000;
/** The beginning of a minute. */
const startMs = Date.UTC(2026, 5, 1);

/** Priorities by a clock that the test sets, and how many minutes they are later than the present one. */
function prioritiesAt(timeMs: number) {
  const clock = { timeMs };
  const priorities = createPriorities(() => clock.timeMs);
  const present = () => createPriorities(() => clock.timeMs).of(0, 1);
  return {
    clock,
    priorities,
    minutesBack: (tenantId: number, events: number) => priorities.of(tenantId, events) - present(),
  };
}

describe('the priority of events', () => {
  it.each([
    [1, 0],
    [99, 0],
    [100, 1],
    [399, 1],
    [400, 2],
    [1_600, 3],
    [25_600, 5],
    [102_400, 6],
    [100_000_000, 6],
  ])('of a tenant that sends %d is %d minutes later than that of others', (events, minutes) => {
    expect(prioritiesAt(startMs).minutesBack(1, events)).toBe(minutes);
  });

  it('depends on the recent events of its tenant only', () => {
    const { clock, minutesBack } = prioritiesAt(startMs);
    expect([50, 50, 300].map((events) => minutesBack(1, events))).toEqual([0, 1, 2]);
    expect(minutesBack(2, 1)).toBe(0);
    clock.timeMs += 5_000;
    expect(minutesBack(1, 1)).toBe(1);
    clock.timeMs += 30_000;
    expect(minutesBack(1, 1)).toBe(0);
  });

  it('of events that are enqueued again is between those of tenants that send little and of tenants that send much', () => {
    const { priorities } = prioritiesAt(startMs);
    expect(priorityOfRepeats(startMs)).toBeLessThan(priorities.of(1, 100_000));
    expect(priorityOfRepeats(startMs)).toBeGreaterThan(priorities.of(2, 100));
  });

  it('is limited, however much its tenant has sent: events sent six minutes later come after it', () => {
    const aMoment = fc.integer({ min: 0, max: minuteMs });
    const some = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(aMoment, aMoment, some, some, (offsetMs, laterMs, much, little) => {
        const { clock, priorities } = prioritiesAt(startMs + offsetMs);
        const priority = priorities.of(1, much);
        clock.timeMs += 7 * minuteMs + laterMs;
        expect(priorities.of(2, little)).toBeGreaterThan(priority);
      }),
    );
  });

  it('is reset after a clock was set back', () => {
    const { clock, minutesBack } = prioritiesAt(startMs);
    minutesBack(1, 10_000);
    clock.timeMs -= 60 * minuteMs;
    for (let seconds = 0; seconds < 60; seconds += 5) {
      clock.timeMs += 5_000;
      minutesBack(2, 1);
    }
    expect(minutesBack(1, 1)).toBe(0);
  });
});

/** The last minute before priorities begin anew. */
const lastMinuteMs = (15 * (2 ** 21 - 1) - 1) * minuteMs;

describe('a priority', () => {
  it.each([startMs, lastMinuteMs, lastMinuteMs + minuteMs])(
    'at %d is one of BullMQ, and stands for a minute',
    (now) => {
      const priorities = createPriorities(() => now);
      for (const [events, minutes] of [
        [1, 0],
        [100_000_000, 6],
      ] as const) {
        const priority = priorities.of(events, events);
        expect(priority).toBeGreaterThanOrEqual(1);
        expect(priority).toBeLessThan(2 ** 21);
        expect(timeOf(priority, now)).toEqual(new Date(now + minutes * minuteMs));
      }
    },
  );

  it.each([startMs, lastMinuteMs])('may fill the less of the queue the later it is, at %d', (now) => {
    const share = (events: number) => shareOf(createPriorities(() => now).of(1, events), now);
    expect([1, 100, 400, 1_600, 100_000_000].map(share)).toEqual([1, 7 / 8, 6 / 8, 5 / 8, 2 / 8]);
    expect(shareOf(createPriorities(() => now - 10 * minuteMs).of(1, 1), now)).toBe(1);
  });
});
