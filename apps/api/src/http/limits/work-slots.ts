import { createFairSlots, type Slot } from '@callout/runtime/concurrency/fair-slots';

/** How much work may be done at once, and how much may wait for that. */
export interface WorkLimits {
  readonly total: number;
  readonly perKey: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaitMs: number;
}

interface WorkSlotsDeps {
  readonly limits: WorkLimits;
  /** The error for work that gets no slot. `isOwnDoing`: its key has all the slots that one key may have. */
  readonly refusal: (isOwnDoing: boolean) => Error;
}

/** Does work for a key as soon as it has a slot. Rejects with the refusal when too much waits, or it waits too long. */
export type InSlot<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>;

/** Bounds expensive work of requests, fairly among keys such as tenants, and with it how much may wait and how long. */
export function createWorkSlots<Key>({ limits, refusal }: WorkSlotsDeps): InSlot<Key> {
  const slots = createFairSlots<Key>(limits);

  const mayWait = (key: Key) => slots.waiting(key) < limits.maxWaitingPerKey && slots.waiting() < limits.maxWaiting;

  /** Rejects when the slot was not there in time. */
  async function waitFor(ready: Promise<void>, key: Key): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(refusal(slots.isAtLimit(key))), limits.maxWaitMs);
    });
    try {
      await Promise.race([ready, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  return async (key, work) => {
    if (slots.mustWait(key) && !mayWait(key)) throw refusal(slots.isAtLimit(key));
    const slot: Slot = slots.acquire(key);
    try {
      if (slot.ready) await waitFor(slot.ready, key);
      return await work();
    } finally {
      slot.release();
    }
  };
}
