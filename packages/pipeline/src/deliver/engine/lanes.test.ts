import { describe, expect, it } from '@jest/globals';
import { createLongBodies } from '../../payload/long-bodies.ts';
import type { FreeSlots, LeasedCallout } from '../claim.ts';
import type { Delivery } from './delivery.ts';
import { DueWebhooks } from './due-webhooks.ts';
import type { CallResult } from './lane-limits.ts';
import { Lanes, type LaneLimits } from './lanes.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Simulates PostgreSQL with due callouts per webhook, and calls that end when the test ends them. */
function bench(
  due: Record<number, number>,
  { claim, ...limits }: Partial<LaneLimits> & { claim?: Delivery['claim'] } = {},
  {
    keepResults = false,
    tenantOf = () => 1,
  }: { keepResults?: boolean; tenantOf?: (webhookKey: number) => number } = {},
) {
  const claims: FreeSlots[][] = [];
  const calls: { webhookKey: number; end: (result?: Partial<CallResult>) => void }[] = [];
  const errors: unknown[] = [];
  const clock = { nowMs: 0 };
  const hurries: number[] = [];
  const results: (() => void)[] = [];
  const storeResults = () => {
    for (const stored of results.splice(0)) stored();
  };
  let next = 0;
  const mailbox = new DueWebhooks();
  const longBodies = createLongBodies((keys) => mailbox.add(keys));
  const lanes = new Lanes(
    { maxInFlight: 10, maxInFlightPerWebhook: 4, gatherMs: 1, nowMs: () => clock.nowMs, ...limits },
    {
      due: mailbox,
      longBodies,
      gates: { openAmong: (wanted) => wanted, onFound: () => undefined, onCallOver: () => undefined },
      leases: { begin: () => undefined, end: () => undefined },
      onClaimFailed: (error) => errors.push(error),
    },
  );
  lanes.begin({
    claim:
      claim ??
      (async (wanted) => {
        claims.push([...wanted]);
        return wanted.flatMap(({ webhookKey, slots }) => {
          const count = Math.min(slots, due[webhookKey] ?? 0);
          due[webhookKey] = (due[webhookKey] ?? 0) - count;
          return Array.from({ length: count }, (): LeasedCallout =>
            aCallout(webhookKey, (next += 1), tenantOf(webhookKey)),
          );
        });
      }),
    release: async () => [],
    deliver: ({ webhookKey }, answered) =>
      new Promise((resolve) => {
        const end = (result: Partial<CallResult> = {}) => {
          const at = calls.findIndex((call) => call.end === end);
          calls.splice(at, 1);
          answered({ signal: 'delivered', durationMs: 1, ...result });
          results.push(resolve);
          if (!keepResults) storeResults();
        };
        calls.push({ webhookKey, end });
      }),
    hurry: () => hurries.push(clock.nowMs),
  });
  const underWay = (webhookKey: number) => calls.filter((call) => call.webhookKey === webhookKey).length;
  return { lanes, longBodies, claims, calls, clock, errors, hurries, due, underWay, storeResults };
}

function aCallout(webhookKey: number, n: number, tenantId: number): LeasedCallout {
  return {
    id: `${n}`,
    tenantId,
    webhookKey,
    webhookVersion: 1,
    entityType: 'Account',
    recordId: n,
    sequenceNumber: n,
    kind: 'event',
    action: 'Update',
    eventId: null,
    attemptsMade: 0,
    attemptsBefore: 0,
    isRedelivery: false,
    countedAt: null,
    acceptedAt: null,
    traceParent: null,
    leaseOwner: 'lease',
    body: '{}',
    leaseEndsAtMs: 30_000,
  };
}

describe('lanes', () => {
  it('send no more of one webhook at once than its limit, and eventually everything', async () => {
    const { lanes, calls, due, underWay } = bench({ 1: 9 });
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(4);
    let most = 0;
    while (calls.length > 0 || due[1] !== 0) {
      most = Math.max(most, calls.length);
      calls[0]?.end();
      await settled();
    }
    expect(most).toBe(4);
    expect(lanes.inFlight).toBe(0);
  });

  it('a receiver that hangs occupies its own slots and delays no other', async () => {
    const { lanes, calls, underWay, due } = bench({ 1: 100, 2: 6 });
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(4);
    lanes.enqueue([2]);
    while (due[2] !== 0 || underWay(2) > 0) {
      calls.find((call) => call.webhookKey === 2)?.end();
      await settled();
    }
    expect(underWay(1)).toBe(4);
    expect(due[1]).toBe(96);
  });

  it('claim callouts that had no room for their bodies when others are done', async () => {
    const left = Array.from({ length: 5 }, (_, n) => aCallout(1, n, 1));
    const { lanes, longBodies, calls, claims } = bench(
      {},
      {
        claim: async (wanted) => {
          claims.push([...wanted]);
          const taken = left.filter((one) => longBodies.take({ ...one, bodyBytes: 12 * 1024 * 1024 }));
          for (const one of taken) left.splice(left.indexOf(one), 1);
          return taken;
        },
      },
    );
    lanes.enqueue([1]);
    await settled();
    for (let done = 0; done < 5; done += 1) {
      expect(calls).toHaveLength(1);
      const before = claims.length;
      await settled();
      expect(claims).toHaveLength(before);
      calls[0]?.end();
      await settled();
    }
    expect([left, calls]).toEqual([[], []]);
  });

  it('send short callouts behind a long one without room, while long ones of another webhook hang', async () => {
    const long = 20 * 1024 * 1024;
    const hanging = { ...aCallout(2, 100, 1), bodyBytes: long };
    const left = [long, ...Array<number>(20).fill(2)].map((bodyBytes, n) => ({ ...aCallout(1, n, 1), bodyBytes }));
    const { lanes, longBodies, calls, claims, underWay } = bench(
      {},
      {
        claim: async (wanted) => {
          claims.push([...wanted]);
          const leased = left.slice(0, wanted[0]?.slots ?? 0);
          const taken = leased.filter((one) => longBodies.take(one));
          for (const one of taken) left.splice(left.indexOf(one), 1);
          return taken;
        },
      },
    );
    expect(longBodies.take(hanging)).toBe(true);
    lanes.start([hanging]);
    lanes.enqueue([1]);
    await settled();
    while (left.length > 1 || underWay(1) > 0) {
      calls.find(({ webhookKey }) => webhookKey === 1)?.end();
      await settled();
    }
    expect(left.map(({ bodyBytes }) => bodyBytes)).toEqual([long]);
    // The first, and at most one after each call.
    expect(claims.length).toBeLessThanOrEqual(21);
    calls[0]?.end();
    await settled();
    expect([left, underWay(1)]).toEqual([[], 1]);
  });

  it('free a slot of the webhook when its receiver responds, and one of the process when the result is stored', async () => {
    const { lanes, calls, underWay, storeResults } = bench({ 1: 100 }, { maxInFlight: 6 }, { keepResults: true });
    lanes.enqueue([1]);
    await settled();
    for (const call of [...calls]) call.end();
    await settled();
    expect([underWay(1), lanes.inFlight]).toEqual([2, 6]);
    storeResults();
    while (underWay(1) < 4) await settled();
    expect(lanes.inFlight).toBe(4);
  });

  it('share the slots of the process among all webhooks that need some', async () => {
    const { lanes, underWay } = bench({ 1: 100, 2: 100, 3: 100, 4: 100, 5: 100 });
    lanes.enqueue([1, 2, 3, 4, 5]);
    await settled();
    expect([1, 2, 3, 4, 5].map(underWay)).toEqual([2, 2, 2, 2, 2]);
  });

  it('remember keys that are enqueued during a claim', async () => {
    const due: Record<number, number> = { 1: 0 };
    let waken = false;
    const { lanes, underWay } = bench(due, {
      claim: async (wanted) => {
        if (!waken) {
          waken = true;
          // It becomes due after this claim has read its rows and before it ends.
          lanes.enqueue([1]);
          return [];
        }
        return wanted.map(({ webhookKey }) => aCallout(webhookKey, 1, 1));
      },
    });
    lanes.enqueue([1]);
    await settled();
    await settled();
    expect(underWay(1)).toBeGreaterThan(0);
  });

  it('keep to their limit while results of a lane that was idle meanwhile are being stored', async () => {
    const { lanes, calls, due, underWay, storeResults } = bench({ 1: 1 }, {}, { keepResults: true });
    lanes.enqueue([1]);
    await settled();
    calls[0]?.end();
    // Nothing more is due, and no claim is under way.
    lanes.enqueue([1]);
    await settled();
    due[1] = 100;
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(4);
    storeResults();
    await settled();
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(4);
  });

  it('continue after a claim that failed', async () => {
    const due = { 1: 1 };
    let failures = 1;
    const { lanes, errors, underWay } = bench(due, {
      claim: async (wanted) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error('away');
        }
        return wanted.map(({ webhookKey }) => aCallout(webhookKey, 1, 1));
      },
    });
    lanes.enqueue([1]);
    await settled();
    expect(errors).toHaveLength(1);
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(1);
  });

  it('claim nothing while they are suspended, and afterwards what was enqueued meanwhile', async () => {
    const { lanes, calls, claims, underWay } = bench({ 1: 100, 2: 100 });
    lanes.enqueue([1]);
    await settled();
    lanes.suspend('results', true);
    const claimsBefore = claims.length;
    lanes.enqueue([2]);
    while (calls.length > 0) calls[0]?.end();
    await settled();
    expect([lanes.capacityFor(1), claims.length]).toEqual([0, claimsBefore]);
    lanes.suspend('results', false);
    await settled();
    expect([underWay(1), underWay(2)]).toEqual([4, 4]);
  });

  it('claim nothing more once they drain, and wait for the calls under way', async () => {
    const { lanes, calls, claims, due } = bench({ 1: 100 });
    lanes.enqueue([1]);
    await settled();
    let drained = false;
    const draining = lanes.drain().then(() => (drained = true));
    const claimsBefore = claims.length;
    while (calls.length > 0) {
      expect(drained).toBe(false);
      calls[0]?.end();
      await settled();
    }
    await draining;
    expect(claims).toHaveLength(claimsBefore);
    expect(due[1]).toBe(96);
  });

  it('give slow receivers at most half of the slots, also before any of their calls has ended', async () => {
    const due = { 1: 100, 2: 100, 3: 100, 4: 100 };
    const { lanes, clock, calls, underWay } = bench(due, { maxInFlight: 10, maxInFlightPerWebhook: 8 });
    lanes.enqueue([1]);
    await settled();
    expect(underWay(1)).toBe(8);
    clock.nowMs = 1_001;
    lanes.enqueue([2]);
    // Slots that the first frees go to the other until the first is down to its half.
    while (underWay(1) > 5) {
      calls.find((call) => call.webhookKey === 1)?.end({ durationMs: 30_000 });
      await settled();
    }
    while (underWay(2) < 5) await settled();
    calls.find((call) => call.webhookKey === 1)?.end({ durationMs: 30_000 });
    while (underWay(1) < 5) await settled();
    expect([underWay(1), underWay(2)]).toEqual([5, 5]);
  });

  it('keep slots for the first calls of other webhooks, however many begin to hang at once', async () => {
    const hanging = [1, 2, 3, 4];
    const due = Object.fromEntries([...hanging, 5, 6].map((key) => [key, 1_000]));
    const { lanes, calls, underWay } = bench(due, { maxInFlight: 32, maxInFlightPerWebhook: 8 });
    lanes.enqueue(hanging);
    await settled();
    const held = () => hanging.reduce((sum, key) => sum + underWay(key), 0);
    // One slot each, and three quarters of all slots beyond that.
    expect(held()).toBe(28);
    const answers: Record<number, number> = { 5: 0, 6: 0 };
    lanes.enqueue([5, 6]);
    for (let round = 0; round < 20; round += 1) {
      while (underWay(5) === 0 || underWay(6) === 0) await settled();
      for (const key of [5, 6]) {
        calls.find(({ webhookKey }) => webhookKey === key)?.end();
        answers[key] = (answers[key] ?? 0) + 1;
      }
    }
    expect(answers).toEqual({ 5: 20, 6: 20 });
    expect(held()).toBe(28);
  });

  it('shrink to one call at a time when the receiver is down, and grow again when it is back', async () => {
    const { lanes, clock, calls, underWay } = bench({ 1: 1_000 }, { maxInFlight: 20, maxInFlightPerWebhook: 8 });
    const endAll = async (signal: CallResult['signal']) => {
      clock.nowMs += 10;
      for (const call of [...calls]) call.end({ signal });
      await settled();
      lanes.enqueue([1]);
      await settled();
      return underWay(1);
    };
    lanes.enqueue([1]);
    await settled();
    const slots: number[] = [underWay(1)];
    for (const signal of ['down', 'down', 'down', 'down', 'delivered', 'delivered', 'delivered'] as const) {
      slots.push(await endAll(signal));
    }
    expect(slots).toEqual([8, 4, 2, 1, 1, 2, 4, 8]);
  });

  it('serve tenants in turn, however many webhooks one of them has', async () => {
    const busy = Array.from({ length: 50 }, (_, nth) => 100 + nth);
    const due = Object.fromEntries([...busy, 1].map((key) => [key, 1_000]));
    const { lanes, calls, underWay } = bench(
      due,
      { maxInFlight: 10, maxInFlightPerWebhook: 10 },
      { tenantOf: (webhookKey) => (webhookKey === 1 ? 1 : 2) },
    );
    lanes.enqueue([...busy, 1]);
    const answers = { few: 0, many: 0 };
    for (let round = 0; round < 400; round += 1) {
      while (calls.length < 5) await settled();
      const [call] = calls;
      answers[call?.webhookKey === 1 ? 'few' : 'many'] += 1;
      call?.end();
      await settled();
    }
    expect(underWay(1)).toBeGreaterThan(0);
    // Half of the slots; the first calls were made before any tenant was known.
    expect(answers.few).toBeGreaterThan(answers.many / 2);
  });
});

describe('reserved slots', () => {
  const reservedFor = (count: number) => Array.from({ length: count }, (_, n) => aCallout(1, 100 + n, 1));

  it('count like calls under way, and are used by the callouts they were reserved for', async () => {
    const { lanes, underWay } = bench({});
    expect(lanes.reserve(1, 1, 9)).toBe(4);
    expect([lanes.inFlight, lanes.capacityFor(1)]).toEqual([4, 0]);
    for (const callout of reservedFor(4)) lanes.startReserved(callout);
    expect([lanes.inFlight, underWay(1)]).toEqual([4, 4]);
  });

  it('are free again when they are returned, also for other webhooks', async () => {
    const { lanes, underWay, claims } = bench({ 2: 5 }, { maxInFlight: 4 });
    expect(lanes.reserve(1, 1, 4)).toBe(4);
    lanes.enqueue([2]);
    await settled();
    expect(claims).toEqual([]);
    lanes.returnReserved(1, 4);
    while (underWay(2) < 4) await settled();
    expect(lanes.inFlight).toBe(4);
  });

  it('are not granted while the webhook has a backlog, so nothing new overtakes due callouts', async () => {
    const { lanes } = bench({ 1: 9 });
    lanes.enqueue([1]);
    await settled();
    expect(lanes.reserve(1, 1, 1)).toBe(0);
    expect(lanes.reserve(2, 1, 1)).toBe(1);
  });

  it('are not granted while another webhook waits for a slot', async () => {
    const { lanes, calls } = bench({ 1: 100, 2: 100 }, { maxInFlightPerWebhook: 100 });
    lanes.enqueue([1, 2]);
    await settled();
    lanes.enqueue([3]);
    calls[0]?.end();
    await Promise.resolve();
    await Promise.resolve();
    // A slot is free, and the webhook that waits for it is not claimed before more slots have gathered.
    expect(lanes.inFlight).toBe(9);
    expect(lanes.reserve(4, 1, 1)).toBe(0);
  });

  it('leave some for others: beyond one call each all lanes get three quarters', () => {
    const { lanes } = bench({}, { maxInFlight: 8, maxInFlightPerWebhook: 8 });
    expect(lanes.reserve(1, 1, 100)).toBe(7);
    expect(lanes.reserve(2, 1, 100)).toBe(1);
    lanes.returnReserved(1, 7);
    expect(lanes.reserve(2, 1, 100)).toBe(6);
  });

  it.each(['before', 'after'])(
    'keep to the limit of the process when they are used %s a claim brings callouts for the same slots',
    async (when) => {
      const claimed: (() => void)[] = [];
      const claim = (wanted: readonly FreeSlots[]) =>
        new Promise<LeasedCallout[]>((resolve) => {
          const count = wanted.reduce((sum, { slots }) => sum + slots, 0);
          claimed.push(() => resolve(Array.from({ length: count }, (_, n) => aCallout(2, n, 2))));
        });
      const { lanes, calls } = bench({}, { maxInFlightPerWebhook: 10, claim });
      lanes.enqueue([2]);
      expect(lanes.reserve(1, 1, 8)).toBe(8);
      if (when === 'before') for (const callout of reservedFor(7)) lanes.startReserved(callout);
      claimed[0]?.();
      await settled();
      if (when === 'after') for (const callout of reservedFor(7)) lanes.startReserved(callout);
      // One slot is still reserved.
      expect([calls.length, lanes.reserve(3, 1, 1)]).toEqual([9, 0]);
      lanes.returnReserved(1, 1);
      expect(calls).toHaveLength(10);
      let sent = 0;
      for (; calls.length > 0; sent += 1) {
        expect(calls.length).toBeLessThanOrEqual(10);
        calls[0]?.end();
        await settled();
      }
      expect([sent, lanes.inFlight]).toEqual([15, 0]);
    },
  );

  it('delay drain until they are used, and none is granted after it', async () => {
    const { lanes, calls } = bench({});
    expect(lanes.reserve(1, 1, 2)).toBe(2);
    let isDrained = false;
    const drained = lanes.drain().then(() => (isDrained = true));
    expect(lanes.reserve(1, 1, 1)).toBe(0);
    await settled();
    for (const callout of reservedFor(1)) lanes.startReserved(callout);
    lanes.returnReserved(1, 1);
    await settled();
    expect(isDrained).toBe(false);
    calls[0]?.end();
    await drained;
    expect(lanes.inFlight).toBe(0);
  });
});

describe('results of calls are hurried', () => {
  const record = { webhookKey: 1, recordId: 7 };

  /** Sends callouts of records of the first webhook, each of which is answered at once. */
  function sending({ lanes, calls }: ReturnType<typeof bench>) {
    return (...recordIds: number[]) => {
      for (const recordId of recordIds) {
        lanes.start([aCallout(1, recordId, 1)]);
        calls.at(-1)?.end();
      }
    };
  }

  it('once for each callout that was stored behind one of its record, and at once when it is stored', () => {
    const test = bench({});
    const { lanes, hurries } = test;
    const send = sending(test);
    send(7);
    expect(hurries).toHaveLength(0);
    lanes.addSuccessors([record, record, { webhookKey: 2, recordId: 7 }]);
    expect(hurries).toHaveLength(1);
    send(8);
    expect(hurries).toHaveLength(1);
    send(7, 7, 7);
    expect(hurries).toHaveLength(3);
    lanes.addSuccessors([]);
    expect(hurries).toHaveLength(3);
  });

  it('not while the webhook has a backlog, in which the callout would wait anyway', async () => {
    const test = bench({ 1: 1 });
    const { lanes, hurries } = test;
    const send = sending(test);
    lanes.addSuccessors([record, record]);
    lanes.enqueue([1]);
    send(7);
    expect(hurries).toHaveLength(1);
    await settled();
    // The claim returned fewer callouts than there were slots.
    send(7);
    expect(hurries).toHaveLength(2);
  });

  it('for any callout while all slots of the process are in use', async () => {
    const test = bench({}, { maxInFlight: 2 });
    const { lanes, calls, hurries } = test;
    sending(test)(8);
    await settled();
    expect(hurries).toHaveLength(0);
    lanes.start([aCallout(1, 8, 1), aCallout(1, 9, 1)]);
    calls[0]?.end();
    expect(hurries).toHaveLength(1);
  });

  it('for any callout while the process drains', async () => {
    const { lanes, calls, hurries } = bench({});
    lanes.start([aCallout(1, 8, 1)]);
    const drained = lanes.drain();
    await settled();
    expect(hurries).toHaveLength(1);
    calls[0]?.end();
    await drained;
    expect(hurries).toHaveLength(2);
  });
});
