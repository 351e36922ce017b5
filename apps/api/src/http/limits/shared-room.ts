/** Room that many holders share, each as much of it as stays free for the others. */
export interface SharedRoom<H> {
  /**
   * Why one request may not hold `after` in place of `before`: all is taken, or its holder has its share.
   * @returns undefined when it may.
   */
  refusal(holder: H, before: number, after: number): 'full' | 'share' | undefined;
  add(holder: H, amount: number): void;
  /** How much is in use of what this holder can have, by itself or by all: 0 to 1, and more with what was forced. */
  fill(holder: H): number;
}

/** Of what the others leave, one holder may have this much: as much again stays free. */
const SHARE = 0.5;

/**
 * A holder may have as much as stays free: half of the room when it is alone, a third beside another that has a third. So
 * however many send all they can, there is always room for one that comes later (the rule of dynamic thresholds, Choudhury
 * and Hahne, for the buffers of switches). The only request of a holder may be larger than that, up to all that is free,
 * and one that is alone in the room larger than the room.
 */
export function createSharedRoom<H>(max: number): SharedRoom<H> {
  let used = 0;
  const usedBy = new Map<H, number>();
  const heldBy = (holder: H) => usedBy.get(holder) ?? 0;
  const shareOf = (holder: H) => (max - (used - heldBy(holder))) * SHARE;

  return {
    refusal(holder, before, after) {
      const held = heldBy(holder);
      if (used - before + after > max && used > before) return 'full';
      return held - before + after > shareOf(holder) && held > before ? 'share' : undefined;
    },
    add(holder, amount) {
      used += amount;
      const held = heldBy(holder) + amount;
      if (held === 0) usedBy.delete(holder);
      else usedBy.set(holder, held);
    },
    fill(holder) {
      const [held, share] = [heldBy(holder), shareOf(holder)];
      return Math.max(used / max, share > 0 ? held / share : 0);
    },
  };
}
