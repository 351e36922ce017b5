/** Later attempts are left to the sweep, whose interval hardly matters to them. */
const maxWaitMs = 60_000;
/** Alarms within one step fire together. */
const stepMs = 100;
/** Maximum number of webhooks; the sweep finds the others. */
const maxWebhooks = 10_000;

/**
 * Enqueues webhooks when the next attempt of one of their callouts is due. Without alarms they would wait for the next
 * sweep, which adds a second to a wait of five. Nothing depends on them: the sweep finds what is lost with the process.
 */
export function createAlarms(enqueue: (webhookKeys: readonly number[]) => void) {
  /** By the step of `performance.now()` at whose end they fire. */
  const pending = new Map<number, { webhookKeys: Set<number>; timer: NodeJS.Timeout }>();
  let kept = 0;

  function fire(step: number): void {
    const webhookKeys = pending.get(step)?.webhookKeys ?? new Set();
    pending.delete(step);
    kept -= webhookKeys.size;
    enqueue([...webhookKeys]);
  }

  return {
    /** A callout of the webhook is due in this many milliseconds. */
    add(webhookKey: number, waitMs: number): void {
      if (waitMs > maxWaitMs || kept >= maxWebhooks) return;
      const now = performance.now();
      const step = Math.floor((now + waitMs) / stepMs);
      const alarm = pending.get(step) ?? {
        webhookKeys: new Set<number>(),
        timer: setTimeout(fire, (step + 1) * stepMs - now, step).unref(),
      };
      pending.set(step, alarm);
      if (alarm.webhookKeys.has(webhookKey)) return;
      alarm.webhookKeys.add(webhookKey);
      kept += 1;
    },
    stop(): void {
      for (const { timer } of pending.values()) clearTimeout(timer);
      pending.clear();
    },
  };
}
