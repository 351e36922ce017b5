/** Reminds this process of next attempts that are near. */
export interface Alarms {
  /** A callout of the webhook is due in so many milliseconds. */
  add(webhookKey: number, waitMs: number): void;
  stop(): void;
}

/** What is due later is left to the sweep, to which a second more means nothing. */
const mostWaitMs = 60_000;
/** Those of so much time ring together. */
const stepMs = 100;
/** Webhooks kept at most: what is beyond is left to the sweep as well. */
const mostKept = 10_000;

/**
 * Enqueues webhooks when the next attempt of one of their callouts is due. Without it they would wait for the next sweep,
 * which is a second late where the wait is five. Nothing depends on it: what is lost with the process the sweep finds.
 */
export function createAlarms(enqueue: (webhookKeys: readonly number[]) => void): Alarms {
  /** By the step of `performance.now()` at whose end they ring. */
  const ringing = new Map<number, { webhookKeys: Set<number>; timer: NodeJS.Timeout }>();
  let kept = 0;

  function ring(step: number): void {
    const webhookKeys = ringing.get(step)?.webhookKeys ?? new Set();
    ringing.delete(step);
    kept -= webhookKeys.size;
    enqueue([...webhookKeys]);
  }

  return {
    add(webhookKey, waitMs) {
      if (waitMs > mostWaitMs || kept >= mostKept) return;
      const now = performance.now();
      const step = Math.floor((now + waitMs) / stepMs);
      const alarm = ringing.get(step) ?? {
        webhookKeys: new Set<number>(),
        timer: setTimeout(ring, (step + 1) * stepMs - now, step).unref(),
      };
      ringing.set(step, alarm);
      if (alarm.webhookKeys.has(webhookKey)) return;
      alarm.webhookKeys.add(webhookKey);
      kept += 1;
    },
    stop() {
      for (const { timer } of ringing.values()) clearTimeout(timer);
      ringing.clear();
    },
  };
}
