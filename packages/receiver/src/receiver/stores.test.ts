import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createMemoryOrderStore } from './order.ts';
import { createMemoryRepeatStore } from './repeats.ts';

describe('createMemoryRepeatStore', () => {
  it('knows what runs, what was done and what was forgotten', () => {
    const store = createMemoryRepeatStore();
    expect(store.begin('a')).toBe('new');
    expect(store.begin('a')).toBe('running');
    void store.forget('a');
    expect(store.begin('a')).toBe('new');
    void store.done('a');
    expect(store.begin('a')).toBe('done');
  });

  it('keeps what was done for as long as it is configured', () => {
    let now = 0;
    const store = createMemoryRepeatStore({ keepSeconds: 60, now: () => now });
    void store.begin('a');
    void store.done('a');
    now = 60_000;
    expect(store.begin('a')).toBe('done');
    now = 60_001;
    expect(store.begin('a')).toBe('new');
  });

  it('forgets the oldest beyond its size', () => {
    const store = createMemoryRepeatStore({ maxEntries: 2 });
    for (const id of ['a', 'b', 'c']) void store.done(id);
    expect(['b', 'c', 'a'].map((id) => store.begin(id))).toEqual(['done', 'done', 'new']);
  });
});

describe('createMemoryOrderStore', () => {
  const update = (sequenceNumber: number, ...fields: string[]) => ({
    record: 'r',
    sequenceNumber,
    isDelete: false,
    fields,
  });

  it('takes an update of a deleted record only when it is newer than the deletion', () => {
    const store = createMemoryOrderStore();
    expect(store.advance({ ...update(9), isDelete: true })).toEqual([]);
    expect(store.advance(update(8, 'a'))).toEqual([]);
    expect(store.advance(update(10, 'a'))).toEqual(['a']);
  });

  it('takes the same callout again, for its first attempt may have failed', () => {
    const store = createMemoryOrderStore();
    expect(store.advance(update(1, 'a'))).toEqual(['a']);
    expect(store.advance(update(1, 'a'))).toEqual(['a']);
  });

  it('forgets the records that it heard of longest ago', () => {
    const store = createMemoryOrderStore({ maxRecords: 2 });
    for (const record of ['x', 'y', 'x', 'z']) void store.advance({ ...update(5, 'a'), record });
    const older = (record: string) => store.advance({ ...update(4, 'a'), record });
    expect([older('x'), older('z'), older('y')]).toEqual([[], [], ['a']]);
  });

  it('ends with the same values in whatever order callouts come', () => {
    const callouts = fc.uniqueArray(
      fc.record({
        sequenceNumber: fc.nat(30),
        fields: fc.subarray(['a', 'b', 'c']),
        isDelete: fc.boolean(),
      }),
      { selector: ({ sequenceNumber }) => sequenceNumber },
    );
    /** A record as a receiver keeps it, without the fields that were there before its last deletion. */
    const applied = (steps: readonly { sequenceNumber: number; fields: string[]; isDelete: boolean }[]) => {
      const store = createMemoryOrderStore();
      const values = new Map<string, number>();
      const deleted = Math.max(-1, ...steps.filter(({ isDelete }) => isDelete).map((step) => step.sequenceNumber));
      for (const step of steps) {
        const newest = store.advance({ ...step, record: 'r', fields: step.isDelete ? [] : step.fields });
        for (const field of newest as readonly string[]) values.set(field, step.sequenceNumber);
      }
      return Object.fromEntries([...values].filter(([, number]) => number > deleted));
    };
    fc.assert(
      fc.property(callouts, fc.infiniteStream(fc.nat()), (steps, keys) => {
        const order = new Map(steps.map((step) => [step, keys.next().value as number]));
        const shuffled = steps.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
        const inOrder = steps.toSorted((a, b) => a.sequenceNumber - b.sequenceNumber);
        expect(applied(shuffled)).toEqual(applied(inOrder));
      }),
    );
  });
});
