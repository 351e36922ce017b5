/** Ends the work of one call. */
export interface TimeLimit {
  /** Aborted when the time is over, or when all work is to stop. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Ends the limit when the work is done; to be called once. */
  readonly end: () => void;
}

export interface TimeLimits {
  begin(): TimeLimit;
  /** Aborts the present work and all later work. */
  stop(): void;
  isStopping(): boolean;
}

/**
 * A time limit for each call, and one end for all. `AbortSignal.any` would do the same, but a signal that lives as long
 * as the process keeps memory for every signal that was ever derived from it.
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
