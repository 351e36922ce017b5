import { describe, expect, it } from '@jest/globals';
import { createLedger, type Arrival } from './ledger.ts';

let clockMs = 1;

function anArrival(changes: Partial<Arrival> = {}): Arrival {
  clockMs += 1;
  const { webhook = 0, event = 0 } = changes;
  const calloutId = `${webhook}-${event}`;
  return {
    webhook,
    event,
    calloutId,
    recordId: 1,
    sequenceNumber: event + 1,
    atMs: clockMs,
    isTaken: true,
    ...changes,
  };
}

function bookOf(...arrivals: Arrival[]) {
  const ledger = createLedger({ webhooks: 2, events: 3 });
  for (const arrival of arrivals) ledger.note(arrival, 100);
  return ledger.arrivals();
}

describe('createLedger', () => {
  it('counts what came for each webhook and event, and when', () => {
    const first = anArrival({ webhook: 1, event: 2 });
    const second = anArrival({ webhook: 0, event: 0 });
    const { firstArrivedAtMs, ...counts } = bookOf(first, second);
    expect(counts).toEqual({
      requests: 2,
      delivered: 2,
      duplicates: 0,
      unowed: 0,
      outOfOrder: 0,
      bodyBytes: 200,
      lastTakenAtMs: second.atMs,
    });
    expect([...firstArrivedAtMs]).toEqual([second.atMs, 0, 0, 0, 0, first.atMs]);
  });

  it('distinguishes a retry of a refused callout from a repeat of a taken one', () => {
    const refused = anArrival({ isTaken: false });
    const { delivered, duplicates, firstArrivedAtMs } = bookOf(refused, anArrival(), anArrival());
    expect({ delivered, duplicates }).toEqual({ delivered: 1, duplicates: 1 });
    expect(firstArrivedAtMs[0]).toBe(refused.atMs);
  });

  it('does not let a second callout of an event stand in for one that is missing', () => {
    const { delivered, unowed, duplicates } = bookOf(anArrival(), anArrival({ calloutId: 'another' }));
    expect({ delivered, unowed, duplicates }).toEqual({ delivered: 1, unowed: 1, duplicates: 0 });
  });

  it.each([{ webhook: 2 }, { event: 3 }])('counts a callout of the unknown %j as not owed', (unknown) => {
    expect(bookOf(anArrival(unknown))).toMatchObject({ delivered: 0, unowed: 1 });
  });

  it('notices a callout that comes after a later one of its record and webhook', () => {
    const late = [anArrival({ event: 1 }), anArrival({ event: 0 })];
    expect(bookOf(...late).outOfOrder).toBe(1);
    const ofAnotherRecord = [anArrival({ event: 1 }), anArrival({ event: 0, recordId: 2 })];
    expect(bookOf(...ofAnotherRecord).outOfOrder).toBe(0);
    const ofAnotherWebhook = [anArrival({ event: 1 }), anArrival({ event: 0, webhook: 1 })];
    expect(bookOf(...ofAnotherWebhook).outOfOrder).toBe(0);
    const repeated = [anArrival({ event: 0 }), anArrival({ event: 1 }), anArrival({ event: 0 })];
    expect(bookOf(...repeated).outOfOrder).toBe(0);
  });
});
