import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createTurns, turnOfRepeats } from './turns.ts';

const minuteMs = 60_000;
/** The beginning of a minute. */
const startMs = Date.UTC(2026, 5, 1);

/** Turns by a clock that the test sets, and how many minutes behind the present one they are. */
function turnsAt(timeMs: number) {
  const clock = { timeMs };
  const turns = createTurns(() => clock.timeMs);
  const present = () => createTurns(() => clock.timeMs).of(0, 1);
  return { clock, turns, minutesBack: (tenantId: number, events: number) => turns.of(tenantId, events) - present() };
}

describe('the turn of events', () => {
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
    expect(turnsAt(startMs).minutesBack(1, events)).toBe(minutes);
  });

  it('goes by what its tenant has sent lately, and by nobody else’s', () => {
    const { clock, minutesBack } = turnsAt(startMs);
    expect([50, 50, 300].map((events) => minutesBack(1, events))).toEqual([0, 1, 2]);
    expect(minutesBack(2, 1)).toBe(0);
    clock.timeMs += 5_000;
    expect(minutesBack(1, 1)).toBe(1);
    clock.timeMs += 30_000;
    expect(minutesBack(1, 1)).toBe(0);
  });

  it('of events that are woken again is before that of those who send much, and behind that of those who send little', () => {
    const { turns } = turnsAt(startMs);
    expect(turnOfRepeats(startMs)).toBeLessThan(turns.of(1, 100_000));
    expect(turnOfRepeats(startMs)).toBeGreaterThan(turns.of(2, 100));
  });

  it('comes, however much its tenant has sent: what is sent six minutes later is behind it', () => {
    const aMoment = fc.integer({ min: 0, max: minuteMs });
    const some = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(aMoment, aMoment, some, some, (offsetMs, laterMs, much, little) => {
        const { clock, turns } = turnsAt(startMs + offsetMs);
        const turn = turns.of(1, much);
        clock.timeMs += 7 * minuteMs + laterMs;
        expect(turns.of(2, little)).toBeGreaterThan(turn);
      }),
    );
  });

  it('is a number that BullMQ takes, and not the one before all turns, at any time', () => {
    const highest = 2 ** 21 - 1;
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(startMs) }), fc.nat(1_000_000), (date, events) => {
        const turn = turnsAt(date.getTime()).turns.of(1, events);
        expect(turn).toBeGreaterThanOrEqual(1);
        expect(turn).toBeLessThanOrEqual(highest);
      }),
    );
    // The minutes around the last number.
    const lastMinute = 15 * highest - 1;
    for (let minute = lastMinute - 8; minute < lastMinute + 8; minute += 1) {
      for (const events of [1, 1_000, 1_000_000]) {
        const turn = turnsAt(minute * minuteMs).turns.of(1, events);
        expect([minute, events, turn >= 1 && turn <= highest]).toEqual([minute, events, true]);
      }
    }
  });

  it('is forgiven after a clock was set back', () => {
    const { clock, minutesBack } = turnsAt(startMs);
    minutesBack(1, 10_000);
    clock.timeMs -= 60 * minuteMs;
    for (let seconds = 0; seconds < 60; seconds += 5) {
      clock.timeMs += 5_000;
      minutesBack(2, 1);
    }
    expect(minutesBack(1, 1)).toBe(0);
  });
});
