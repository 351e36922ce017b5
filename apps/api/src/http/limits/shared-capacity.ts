/** Capacity that many holders share; each may use as much as stays free for the others. */
export interface SharedCapacity<H> {
  /**
   * Why a request may not use `after` in place of `before`: everything is in use, or its holder has used its share.
   * @returns undefined when it may.
   */
  refusal(holder: H, before: number, after: number): 'full' | 'share' | undefined;
  add(holder: H, amount: number): void;
  /** The part of what this holder can have that is in use, by itself or by all: 0 to 1, and more after forced use. */
  usage(holder: H): number;
}

/** The share of the capacity unused by others that one holder may use: as much again stays free. */
const SHARE = 0.5;

/**
 * A holder may use as much as stays free: half of the capacity when it is alone, a third beside another that has a third.
 * So however many holders use all they can, a new one always finds capacity (the rule of dynamic thresholds, Choudhury and
 * Hahne, for the buffers of switches). The only request of a holder may be larger than that, up to all that is free, and a
 * request that is alone may be larger than the whole capacity.
 */
export function createSharedCapacity<H>(max: number): SharedCapacity<H> {
  let used = 0;
  const usedBy = new Map<H, number>();
  const useOf = (holder: H) => usedBy.get(holder) ?? 0;
  const shareOf = (holder: H) => (max - (used - useOf(holder))) * SHARE;

  return {
    refusal(holder, before, after) {
      const own = useOf(holder);
      if (used - before + after > max && used > before) return 'full';
      return own - before + after > shareOf(holder) && own > before ? 'share' : undefined;
    },
    add(holder, amount) {
      used += amount;
      const own = useOf(holder) + amount;
      if (own === 0) usedBy.delete(holder);
      else usedBy.set(holder, own);
    },
    usage(holder) {
      const [own, share] = [useOf(holder), shareOf(holder)];
      return Math.max(used / max, share > 0 ? own / share : 0);
    },
  };
}
