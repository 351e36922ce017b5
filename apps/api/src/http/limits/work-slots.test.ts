import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createWorkSlots, type WorkLimits } from './work-slots.ts';

const generous: WorkLimits = { total: 2, perKey: 1, maxWaiting: 100, maxWaitingPerKey: 100, maxWaitMs: 60_000 };

function heldWork(change: Partial<WorkLimits> = {}) {
  const inSlot = createWorkSlots<string>({
    limits: { ...generous, ...change },
    refusal: (isOwnDoing) => new Error(isOwnDoing ? 'own doing' : 'others'),
  });
  const running: { key: string; finish: () => void }[] = [];
  const started: string[] = [];
  const ask = (key: string) =>
    inSlot(
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

describe('createWorkSlots', () => {
  it('lets waiting keys take turns, independent of how many wait with one key', async () => {
    const { ask, started, finishOne, settled } = heldWork({ total: 1 });
    const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map(ask);
    await settled();
    for (const key of ['a', 'a', 'b', 'c', 'a', 'b']) await finishOne(key);
    expect(started).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
    await expect(Promise.all(asked)).resolves.toEqual(['a', 'a', 'a', 'b', 'c', 'b']);
  });

  it('keeps a slot for other keys', async () => {
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

  it('gives the slot back when the work fails', async () => {
    const inSlot = createWorkSlots({ limits: { ...generous, total: 1 }, refusal: () => new Error('refused') });
    await expect(inSlot('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(inSlot('a', () => Promise.resolve(5))).resolves.toBe(5);
  });

  it('never has more at work than it may, and leaves no slot free that is waited for', async () => {
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
