import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { calloutBody } from '@callout/domain/callout/callout-body';
import { chainStart, chainValue } from '@callout/domain/callout/chain';
import type { DigestState } from '@callout/domain/callout/digest';
import { createReceiver } from './receiver/receiver.ts';
import { sentBody, SECRET } from './verify/signed-callout.fixture.ts';
import { createLedger, type Ledger } from './ledger.ts';

const GUID = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';
const idOf = (n: number) => `019bc0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
const bodyOf = (n: number, change = '') =>
  `{"Action":"Update","Guid":"${GUID}","EntityType":"Account","Id":7,"Fields":{"Phone":"${n}${change}"},"EventTime":"2026-01-15T09:30:00Z","SequenceNumber":${n},"PersonID":1}`;

/** The values of the chain over the callouts 1 to `count`, as the service computes them. */
function chainOf(count: number): string[] {
  const values = [chainStart];
  for (let n = 1; n <= count; n += 1) {
    values.push(chainValue(values[n - 1] ?? '', { sequenceNumber: n, id: idOf(n), body: bodyOf(n) }));
  }
  return values;
}

/** A digest of these callouts, as the service makes it; number `states.length` + 1, or another one. */
function digestOf(
  states: readonly ('delivered' | DigestState)[],
  { first = 1, number = states.length + 1, earlier = [] as readonly { n: number; state: DigestState }[] } = {},
): string {
  const values = chainOf(states.length);
  const valueAt = (n: number) => values[n] ?? '';
  const ofRange = states.map((state, index) => ({ n: index + 1, state })).filter(({ n }) => n >= first);
  return calloutBody(
    {
      action: 'Digest',
      webhookGuid: GUID,
      entityType: 'Account',
      recordId: 1,
      eventTime: new Date(0),
      sequenceNumber: number,
      personId: null,
      digest: {
        firstSequenceNumber: first,
        lastSequenceNumber: states.length,
        previousChain: valueAt(first - 1),
        chain: valueAt(states.length),
        notDelivered: ofRange
          .filter(({ state }) => state !== 'delivered')
          .map(({ n, state }) => ({ from: n, to: n, state, chainBefore: valueAt(n - 1), chainAfter: valueAt(n) })),
        earlier: earlier.map(({ n, state }) => ({ from: n, to: n, state })),
      },
    },
    {},
  );
}

/** A receiver with a ledger, and a request to it. */
function aReceiver() {
  const ledger: Ledger = createLedger();
  const [digests, handled]: number[][] = [[], []];
  const receiver = createReceiver({
    secrets: SECRET,
    ledger,
    onCallout: ({ payload }) => {
      if (payload.Fields['Phone'] === '13') throw new Error('no');
      handled?.push(payload.SequenceNumber);
    },
    onDigest: ({ payload }) => digests?.push(payload.SequenceNumber),
    onError: () => undefined,
  });
  const receive = async (text: string, id: string) => {
    const { body, headers } = sentBody(text, { id });
    return (await receiver.receive(body, headers)).status;
  };
  return {
    digests,
    handled,
    receive,
    get: (n: number) => receive(bodyOf(n), idOf(n)),
    check: () => ledger.check(GUID),
    ledger,
  };
}

describe('a ledger', () => {
  it('is complete when everything that its digests cover has come, in any order', async () => {
    const { get, receive, check, digests, handled } = aReceiver();
    expect(await check()).toMatchObject({ isComplete: false, covered: null });
    await get(2);
    expect(await receive(digestOf(['delivered', 'delivered', 'delivered']), idOf(4))).toBe(200);
    expect(await check()).toMatchObject({
      isComplete: false,
      missing: [
        { from: 1, to: 1, state: 'delivered' },
        { from: 3, to: 3 },
      ],
    });
    await get(1);
    await get(3);
    expect(await check()).toEqual({
      isComplete: true,
      covered: { from: 1, to: 3 },
      missing: [],
      open: [],
      explained: [],
      uncovered: [],
      different: [],
    });
    expect([digests, handled]).toEqual([[4], [2, 1, 3]]);
  });

  it('tells what is missing from what is open and what is explained, and believes the last word', async () => {
    const { get, receive, check } = aReceiver();
    for (const n of [1, 7]) await get(n);
    const states = ['delivered', 'failed', 'failed', 'open', 'cancelled', 'deactivation', 'delivered'] as const;
    await receive(digestOf(states), idOf(8));
    expect(await check()).toMatchObject({
      missing: [{ from: 2, to: 3, state: 'failed' }],
      open: [{ from: 4, to: 4, state: 'open' }],
      explained: [
        { from: 5, to: 5, state: 'cancelled' },
        { from: 6, to: 6, state: 'deactivation' },
      ],
      different: [],
    });
    await get(2);
    await get(3);
    const earlier = [{ n: 4, state: 'cancelled' as const }];
    const later = digestOf([...states, 'delivered'], { first: 8, number: 9, earlier });
    await receive(later, idOf(9));
    expect(await check()).toMatchObject({
      missing: [],
      open: [],
      explained: [
        { from: 4, to: 5 },
        { from: 6, to: 6 },
      ],
    });
  });

  it('does not count a callout whose handler failed', async () => {
    const { get, receive, check } = aReceiver();
    for (let n = 1; n <= 13; n += 1) await get(n);
    await receive(
      digestOf(Array.from({ length: 13 }, (_, index) => (index === 12 ? 'failed' : 'delivered'))),
      idOf(14),
    );
    expect(await check()).toMatchObject({ isComplete: false, missing: [{ from: 13, to: 13, state: 'failed' }] });
  });

  it('finds a callout that is not the one that was sent, and a digest that is missing', async () => {
    const { get, receive, check, ledger } = aReceiver();
    await get(1);
    await receive(bodyOf(2, 'changed'), idOf(2));
    await get(3);
    await receive(digestOf(['delivered', 'delivered', 'failed', 'delivered']), idOf(5));
    expect((await check()).different).toEqual([{ from: 1, to: 2 }]);
    await receive(
      digestOf(['delivered', 'delivered', 'failed', 'delivered', 'delivered', 'delivered'], { first: 6 }),
      idOf(7),
    );
    expect(await check()).toMatchObject({ uncovered: [{ from: 5, to: 5 }], isComplete: false });
    await ledger.forget(GUID, 6);
    expect(await check()).toMatchObject({ covered: null });
  });

  it('agrees with the service, whatever was delivered and whatever got lost', async () => {
    const state = fc.constantFrom<DigestState>('delivered', 'failed', 'open', 'cancelled', 'deactivation');
    const history = fc.array(fc.record({ state, isLost: fc.boolean() }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (callouts, cut) => {
        const ledger = createLedger();
        const add = (text: string, id: string) =>
          ledger.add(
            {
              id,
              sentAt: undefined,
              attempt: 1,
              eventId: undefined,
              isTest: false,
              typed: undefined,
              payload: JSON.parse(text) as never,
            },
            text,
          );
        const states = callouts.map((one) => one.state);
        const end = 1 + (cut % states.length);
        const present = callouts.map(({ isLost, state: is }) => is === 'delivered' && !isLost);
        for (const [index, isPresent] of present.entries())
          if (isPresent) await add(bodyOf(index + 1), idOf(index + 1));
        await add(digestOf(states.slice(0, end), { number: 100 }), idOf(100));
        if (end < states.length) await add(digestOf(states, { first: end + 1, number: 101 }), idOf(101));
        const report = await ledger.check(GUID);
        const stated = new Map<number, string>();
        for (const { from, to, state: is } of [...report.missing, ...report.open, ...report.explained]) {
          for (let n = from; n <= to; n += 1) stated.set(n, is);
        }
        const absent = states.flatMap((is, index) => (present[index] === true ? [] : [[index + 1, is] as const]));
        expect(stated).toEqual(new Map(absent));
        expect(report.different).toEqual([]);
        const isWhole = states.every(
          (is, index) => present[index] === true || is === 'cancelled' || is === 'deactivation',
        );
        expect(report.isComplete).toBe(isWhole);
      }),
      { numRuns: 60 },
    );
  });
});
