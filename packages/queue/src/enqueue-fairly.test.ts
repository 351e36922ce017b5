import { describe, expect, it } from '@jest/globals';
import { createFairEnqueue, createPriorities } from './priorities.ts';
import type { Producer } from './producer.ts';

/** Records the enqueued events, instead of Redis. */
function recorded() {
  const calls: unknown[][] = [];
  const enqueueEvents: Producer['enqueueEvents'] = (...call) => void calls.push(call);
  const enqueue = createFairEnqueue(
    { enqueueEvents },
    createPriorities(() => 0),
  );
  return { calls, enqueue };
}

describe('enqueueing events fairly', () => {
  it('sends all of them in one call, in their order', () => {
    const { calls, enqueue } = recorded();
    enqueue(['a1', 'b1', 'a2', 'c1'], [1, 2, 1, 3]);
    expect(calls).toEqual([
      [
        ['a1', 'b1', 'a2', 'c1'],
        [1, 1, 1, 1],
      ],
    ]);
  });

  it('gives bulk events of a tenant a later priority, and does not affect other tenants', () => {
    const { calls, enqueue } = recorded();
    const bulk = Array.from({ length: 150 }, (_, nth) => `a${nth}`);
    enqueue(['b1', ...bulk, 'c1'], [2, ...bulk.map(() => 1), 3]);
    expect(calls).toEqual([
      [
        ['b1', ...bulk, 'c1'],
        [1, ...bulk.map(() => 2), 1],
      ],
    ]);
  });
});
