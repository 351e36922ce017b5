import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createReceiver } from './receiver/receiver.ts';
import { sentBody, SECRET } from './verify/signed-callout.fixture.ts';
import { createLedger } from './ledger.ts';

const GUID = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';
const idOf = (n: number) => `019bc0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
const bodyOf = (n: number) =>
  `{"Action":"Update","Guid":"${GUID}","EntityType":"Account","Id":7,"Fields":{"Phone":"${n}"},"EventTime":"2026-01-15T09:30:00Z","SequenceNumber":${n},"PersonID":1}`;

/** A receiver with a ledger, whose handler fails for the numbers in `failing`. */
function aReceiver() {
  const ledger = createLedger();
  const failing = new Set<number>();
  const receiver = createReceiver({
    secrets: SECRET,
    ledger,
    onCallout: ({ payload }) => {
      if (failing.has(payload.SequenceNumber)) throw new Error('no');
    },
    onError: () => undefined,
  });
  const get = async (n: number, more: Record<string, string> = {}) => {
    const { body, headers } = sentBody(bodyOf(n), { id: idOf(n) });
    return (await receiver.receive(body, { ...headers, ...more })).status;
  };
  return { get, failing, ledger, check: () => ledger.check(GUID) };
}

describe('a ledger', () => {
  it('names the numbers that are missing below the highest, in whatever order the others came', async () => {
    const { get, check } = aReceiver();
    expect(await check()).toEqual({ isComplete: true, covered: null, missing: [] });
    for (const n of [7, 2, 4]) await get(n);
    expect(await check()).toEqual({
      isComplete: false,
      covered: { from: 1, to: 7 },
      missing: [
        { from: 1, to: 1 },
        { from: 3, to: 3 },
        { from: 5, to: 6 },
      ],
    });
    for (const n of [1, 3, 5, 6]) await get(n);
    expect(await check()).toEqual({ isComplete: true, covered: { from: 1, to: 7 }, missing: [] });
  });

  it('lacks a callout whose handler failed, until the handler has succeeded', async () => {
    const { get, check, failing } = aReceiver();
    failing.add(2);
    for (const n of [1, 2, 3]) await get(n);
    expect((await check()).missing).toEqual([{ from: 2, to: 2 }]);
    failing.clear();
    expect(await get(2)).toBe(200);
    expect((await check()).isComplete).toBe(true);
  });

  it('does not note a test, which has no number', async () => {
    const { ledger, check } = aReceiver();
    const test = { id: idOf(0), isTest: true, payload: { Guid: GUID, SequenceNumber: 0 } };
    await ledger.add(test as never);
    expect((await check()).covered).toBeNull();
  });

  it('begins behind the numbers that were forgotten, also when one of them comes again', async () => {
    const { get, check, ledger } = aReceiver();
    await ledger.forget(GUID, 500);
    for (const n of [499, 501, 503]) await get(n);
    expect(await check()).toMatchObject({ covered: { from: 501, to: 503 }, missing: [{ from: 502, to: 502 }] });
    await ledger.forget(GUID, 503);
    await ledger.forget(GUID, 2);
    expect(await check()).toEqual({ isComplete: true, covered: null, missing: [] });
  });

  it('names exactly the numbers that did not come, whichever came and whichever were forgotten', async () => {
    const number = fc.integer({ min: 1, max: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(number), fc.integer({ min: 0, max: 10 }), async (came, through) => {
        const ledger = createLedger();
        for (const SequenceNumber of came) {
          await ledger.add({ isTest: false, payload: { Guid: GUID, SequenceNumber } } as never);
        }
        await ledger.forget(GUID, through);
        const { missing } = await ledger.check(GUID);
        const named = missing.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
        const highest = Math.max(through, ...came);
        const all = Array.from({ length: highest }, (_, index) => index + 1);
        expect(named).toEqual(all.filter((n) => n > through && !came.includes(n)));
      }),
    );
  });
});
