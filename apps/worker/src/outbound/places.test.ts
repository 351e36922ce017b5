import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createPlaces, type Place } from './places.ts';

/** Whether a place is taken by now. */
async function isIn(place: Place): Promise<boolean> {
  const later = Symbol('later');
  // Microtasks of a place that was admitted run before a macrotask.
  const first = await Promise.race([place.entered, new Promise((resolve) => setImmediate(() => resolve(later)))]);
  return first !== later;
}

describe('createPlaces', () => {
  it('lets in as many per host as allowed and the next one when one leaves, in their order', async () => {
    const places = createPlaces({ perHost: 2, total: 10 });
    const [first, second, third, fourth] = ['a', 'a', 'a', 'a'].map((host) => places.take(host)) as [
      Place,
      Place,
      Place,
      Place,
    ];
    expect([first.entered, second.entered]).toEqual([undefined, undefined]);
    expect([await isIn(third), await isIn(fourth)]).toEqual([false, false]);
    first.leave();
    expect([await isIn(third), await isIn(fourth)]).toEqual([true, false]);
    second.leave();
    expect(await isIn(fourth)).toBe(true);
  });

  it('does not let a full host keep another one waiting', () => {
    const places = createPlaces({ perHost: 1, total: 10 });
    places.take('slow');
    places.take('slow');
    expect(places.take('healthy').entered).toBeUndefined();
  });

  it('bounds all hosts together and gives a free place to whichever waits', async () => {
    const places = createPlaces({ perHost: 5, total: 2 });
    const first = places.take('a');
    places.take('b');
    const waiting = places.take('c');
    expect(await isIn(waiting)).toBe(false);
    first.leave();
    expect(await isIn(waiting)).toBe(true);
  });

  it('forgets who gives up waiting', async () => {
    const places = createPlaces({ perHost: 1, total: 1 });
    const first = places.take('a');
    const impatient = places.take('a');
    const patient = places.take('b');
    impatient.leave();
    first.leave();
    expect([await isIn(impatient), await isIn(patient)]).toEqual([false, true]);
    patient.leave();
    expect(places.take('a').entered).toBeUndefined();
  });

  it('never has more in than allowed and leaves nobody outside who has room', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean(), fc.nat()), { maxLength: 40 }),
        async (steps) => {
          const limits = { perHost: 2, total: 3 };
          const places = createPlaces(limits);
          const held: { host: string; place: Place }[] = [];
          for (const [host, takes, pick] of steps) {
            if (takes || held.length === 0) held.push({ host, place: places.take(host) });
            else held.splice(pick % held.length, 1)[0]?.place.leave();
          }
          const state = await Promise.all(held.map(async ({ host, place }) => ({ host, in: await isIn(place) })));
          const inside = state.filter((each) => each.in);
          expect(inside.length).toBeLessThanOrEqual(limits.total);
          for (const host of ['a', 'b', 'c']) {
            const own = inside.filter((each) => each.host === host).length;
            expect(own).toBeLessThanOrEqual(limits.perHost);
            const waits = state.some((each) => each.host === host && !each.in);
            if (waits) expect(own === limits.perHost || inside.length === limits.total).toBe(true);
          }
        },
      ),
    );
  });
});
