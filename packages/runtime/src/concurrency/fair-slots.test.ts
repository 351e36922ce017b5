import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createFairSlots, type Slot } from './fair-slots.ts';

/** Whether a slot is acquired by now. */
async function isHeld(slot: Slot): Promise<boolean> {
  const later = Symbol('later');
  // Microtasks of a slot that has become free run before a macrotask.
  const first = await Promise.race([slot.ready, new Promise((resolve) => setImmediate(() => resolve(later)))]);
  return first !== later;
}

describe('createFairSlots', () => {
  it('gives a key as many as it may have, and the next when one is released, in their order', async () => {
    const slots = createFairSlots<string>({ perKey: 2, total: 10 });
    const [first, second, third, fourth] = ['a', 'a', 'a', 'a'].map((key) => slots.acquire(key)) as [
      Slot,
      Slot,
      Slot,
      Slot,
    ];
    expect([first.ready, second.ready]).toEqual([undefined, undefined]);
    expect([await isHeld(third), await isHeld(fourth)]).toEqual([false, false]);
    first.release();
    expect([await isHeld(third), await isHeld(fourth)]).toEqual([true, false]);
    second.release();
    expect(await isHeld(fourth)).toBe(true);
  });

  it('does not let a full key hold up another one', () => {
    const slots = createFairSlots<string>({ perKey: 1, total: 10 });
    slots.acquire('slow');
    slots.acquire('slow');
    expect(slots.acquire('healthy').ready).toBeUndefined();
  });

  it('bounds all keys together and gives a free slot to whichever waits', async () => {
    const slots = createFairSlots<string>({ perKey: 5, total: 2 });
    const first = slots.acquire('a');
    slots.acquire('b');
    const waiting = slots.acquire('c');
    expect(await isHeld(waiting)).toBe(false);
    first.release();
    expect(await isHeld(waiting)).toBe(true);
  });

  it('lets waiting keys take turns, independent of how many wait with one key', async () => {
    const slots = createFairSlots<string>({ perKey: 1, total: 1 });
    const admitted: string[] = [];
    let last = slots.acquire('first');
    const admission = async (key: string, slot: Slot) => {
      await slot.ready;
      admitted.push(key);
      last = slot;
    };
    for (const key of ['a', 'a', 'a', 'b', 'c', 'b']) {
      const slot = slots.acquire(key);
      void admission(key, slot);
    }
    expect([slots.waiting(), slots.waiting('a'), slots.isAtLimit('a'), slots.mustWait('d')]).toEqual([
      6,
      3,
      false,
      true,
    ]);
    for (let nth = 0; nth < 6; nth += 1) {
      last.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(admitted).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(slots.waiting()).toBe(0);
  });

  it('forgets what stops waiting', async () => {
    const slots = createFairSlots<string>({ perKey: 1, total: 1 });
    const first = slots.acquire('a');
    const impatient = slots.acquire('a');
    const patient = slots.acquire('b');
    impatient.release();
    first.release();
    expect([await isHeld(impatient), await isHeld(patient)]).toEqual([false, true]);
    patient.release();
    expect(slots.acquire('a').ready).toBeUndefined();
  });

  it('never exceeds the allowed number, and leaves none waiting beside a free slot', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), fc.nat()), { maxLength: 40 }),
        async (steps) => {
          const limits = { perKey: 2, total: 3 };
          const slots = createFairSlots<string>(limits);
          const held: { key: string; slot: Slot }[] = [];
          for (const [key, takes, pick] of steps) {
            if (takes || held.length === 0) held.push({ key, slot: slots.acquire(key) });
            else held.splice(pick % held.length, 1)[0]?.slot.release();
          }
          const state = await Promise.all(held.map(async ({ key, slot }) => ({ key, in: await isHeld(slot) })));
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
