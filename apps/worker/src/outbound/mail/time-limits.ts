/** Ends the work of one call. */
export interface TimeLimit {
  /** Aborted when the time is over, or when all work is to stop. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** The work has ended; to be called once. */
  readonly end: () => void;
}

export interface TimeLimits {
  begin(): TimeLimit;
  /** Aborts what is under way, and what begins later. */
  stop(): void;
  isStopping(): boolean;
}

/**
 * A time limit for each call, and one end for all. `AbortSignal.any` would do the same, but a signal that lives as long as
 * the process keeps something of every signal that was ever made from it.
 */
export function createTimeLimits(timeoutMs: number): TimeLimits {
  const underWay = new Set<AbortController>();
  let isStopping = false;
  return {
    begin() {
      const controller = new AbortController();
      if (isStopping) controller.abort();
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        controller.abort();
      }, timeoutMs).unref();
      underWay.add(controller);
      return {
        signal: controller.signal,
        isOver: () => isOver,
        end() {
          clearTimeout(timer);
          underWay.delete(controller);
        },
      };
    },
    stop() {
      isStopping = true;
      for (const controller of underWay) controller.abort();
    },
    isStopping: () => isStopping,
  };
}
