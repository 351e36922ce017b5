import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createPermits, createWithPermit, type Permit, type WorkLimits } from './permits.ts';

/** Whether a permit is acquired by now. */
async function isHeld(permit: Permit): Promise<boolean> {
  const later = Symbol('later');
  // Microtasks of a permit that has become free run before a macrotask.
  const first = await Promise.race([permit.ready, new Promise((resolve) => setImmediate(() => resolve(later)))]);
  return first !== later;
}

describe('createPermits', () => {
  it('gives a key as many as it may have, and the next when one is released, in their order', async () => {
    const permits = createPermits<string>({ perKey: 2, total: 10 });
    const [first, second, third, fourth] = ['a', 'a', 'a', 'a'].map((key) => permits.acquire(key)) as [
      Permit,
      Permit,
      Permit,
      Permit,
    ];
    expect([first.ready, second.ready]).toEqual([undefined, undefined]);
    expect([await isHeld(third), await isHeld(fourth)]).toEqual([false, false]);
    first.release();
    expect([await isHeld(third), await isHeld(fourth)]).toEqual([true, false]);
    second.release();
    expect(await isHeld(fourth)).toBe(true);
  });

  it('does not let a full key hold up another one', () => {
    const permits = createPermits<string>({ perKey: 1, total: 10 });
    permits.acquire('slow');
    permits.acquire('slow');
    expect(permits.acquire('healthy').ready).toBeUndefined();
  });

  it('bounds all keys together and gives a free permit to whichever waits', async () => {
    const permits = createPermits<string>({ perKey: 5, total: 2 });
    const first = permits.acquire('a');
    permits.acquire('b');
    const waiting = permits.acquire('c');
    expect(await isHeld(waiting)).toBe(false);
    first.release();
    expect(await isHeld(waiting)).toBe(true);
  });

  it('lets waiting keys take turns, independent of how many wait with one key', async () => {
    const permits = createPermits<string>({ perKey: 1, total: 1 });
    const admitted: string[] = [];
    let last = permits.acquire('first');
    const admission = async (key: string, permit: Permit) => {
      await permit.ready;
      admitted.push(key);
      last = permit;
    };
    for (const key of ['a', 'a', 'a', 'b', 'c', 'b']) {
      const permit = permits.acquire(key);
      void admission(key, permit);
    }
    expect([permits.waiting(), permits.waiting('a'), permits.isAtLimit('a'), permits.refusal('d', 0, 1)]).toEqual([
      6,
      3,
      false,
      'full',
    ]);
    for (let nth = 0; nth < 6; nth += 1) {
      last.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(admitted).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(permits.waiting()).toBe(0);
  });

  it('forgets what stops waiting', async () => {
    const permits = createPermits<string>({ perKey: 1, total: 1 });
    const first = permits.acquire('a');
    const impatient = permits.acquire('a');
    const patient = permits.acquire('b');
    impatient.release();
    first.release();
    expect([await isHeld(impatient), await isHeld(patient)]).toEqual([false, true]);
    patient.release();
    expect(permits.acquire('a').ready).toBeUndefined();
  });

  it('never exceeds the allowed number, and leaves none waiting beside a free permit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), fc.nat()), { maxLength: 40 }),
        async (steps) => {
          const limits = { perKey: 2, total: 3 };
          const permits = createPermits<string>(limits);
          const held: { key: string; permit: Permit }[] = [];
          for (const [key, takes, pick] of steps) {
            if (takes || held.length === 0) held.push({ key, permit: permits.acquire(key) });
            else held.splice(pick % held.length, 1)[0]?.permit.release();
          }
          const state = await Promise.all(held.map(async ({ key, permit }) => ({ key, in: await isHeld(permit) })));
          const inside = state.filter((each) => each.in);
          expect(inside.length).toBeLessThanOrEqual(limits.total);
          for (const key of ['a', 'b', 'c']) {
            const own = inside.filter((each) => each.key === key).length;
            expect(own).toBeLessThanOrEqual(limits.perKey);
            const waits = state.some((each) => each.key === key && !each.in);
            if (waits) expect(own === limits.perKey || inside.length === limits.total).toBe(true);
          }
        },
      ),
    );
  });
});

const generous: WorkLimits = { total: 2, perKey: 1, maxWaiting: 100, maxWaitingPerKey: 100, maxWaitMs: 60_000 };

function heldWork(change: Partial<WorkLimits> = {}) {
  const withPermit = createWithPermit<string>(
    { ...generous, ...change },
    (refusal) => new Error(refusal === 'share' ? 'own doing' : 'others'),
  );
  const running: { key: string; finish: () => void }[] = [];
  const started: string[] = [];
  const ask = (key: string) =>
    withPermit(
      key,
      () =>
        new Promise<string>((resolve) => {
          started.push(key);
          const one = { key, finish: () => (running.splice(running.indexOf(one), 1), resolve(key)) };
          running.push(one);
        }),
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const finishOne = async (key: string) => {
    running.find((one) => one.key === key)?.finish();
    await settled();
  };
  return { ask, running, started, finishOne, settled };
}

describe('createWithPermit', () => {
  it('lets waiting keys take turns, independent of how many wait with one key', async () => {
    const { ask, started, finishOne, settled } = heldWork({ total: 1 });
    const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map(ask);
    await settled();
    for (const key of ['a', 'a', 'b', 'c', 'a', 'b']) await finishOne(key);
    expect(started).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
    await expect(Promise.all(asked)).resolves.toEqual(['a', 'a', 'a', 'b', 'c', 'b']);
  });

  it('keeps a permit for other keys', async () => {
    const { ask, started, finishOne, settled } = heldWork();
    const asked = [ask('a'), ask('a'), ask('b')];
    await settled();
    expect(started).toEqual(['a', 'b']);
    for (const key of ['b', 'a', 'a']) await finishOne(key);
    await Promise.all(asked);
  });

  it('refuses what would wait behind too many, and says whose doing it is', async () => {
    const { ask, finishOne, settled } = heldWork({ total: 1, maxWaiting: 2, maxWaitingPerKey: 1 });
    const asked = [ask('a'), ask('a'), ask('b')];
    await expect(ask('a')).rejects.toThrow('own doing');
    await expect(ask('c')).rejects.toThrow('others');
    await settled();
    for (const key of ['a', 'a', 'b']) await finishOne(key);
    await Promise.all(asked);
  });

  it('refuses what has waited too long, which leaves no trace', async () => {
    const { ask, started, finishOne, settled } = heldWork({ total: 1, maxWaitMs: 1 });
    const first = ask('a');
    await expect(ask('a')).rejects.toThrow('own doing');
    await expect(ask('b')).rejects.toThrow('others');
    await finishOne('a');
    await first;
    const next = ask('b');
    await settled();
    expect(started).toEqual(['a', 'b']);
    await finishOne('b');
    await next;
  });

  it('gives the permit back when the work fails', async () => {
    const withPermit = createWithPermit<string>({ ...generous, total: 1 }, () => new Error('refused'));
    await expect(withPermit('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(withPermit('a', () => Promise.resolve(5))).resolves.toBe(5);
  });

  it('never has more at work than it may, and leaves no permit free that is waited for', async () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), finishes: fc.boolean() }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (all, total) => {
        const { ask, running, finishOne, settled } = heldWork({ total, perKey: Math.ceil(total / 2) });
        const asked: Promise<string>[] = [];
        let finished = 0;
        for (const { key, finishes } of all) {
          if (finishes && running.some((one) => one.key === key)) {
            await finishOne(key);
            finished += 1;
          } else asked.push(ask(key));
          await settled();
          const held = (one: string) => running.filter((work) => work.key === one).length;
          expect(running.length).toBeLessThanOrEqual(total);
          for (const one of ['a', 'b', 'c']) expect(held(one)).toBeLessThanOrEqual(Math.ceil(total / 2));
          const waits = asked.length - finished - running.length;
          const couldTakeMore = ['a', 'b', 'c'].every((one) => held(one) < Math.ceil(total / 2));
          expect(running.length < total && couldTakeMore && waits > 0).toBe(false);
        }
        while (running.length > 0) await finishOne(running[0]?.key ?? '');
        await Promise.all(asked);
      }),
      { numRuns: 50 },
    );
  });
});
