/** Later attempts are left to the sweep, whose interval hardly matters to them. */
const maxWaitMs = 60_000;
/** Alarms within one step fire together. */
const stepMs = 100;
/** Webhooks with an alarm; the sweep finds more. */
const maxWebhooks = 10_000;

/**
 * The mailbox of the engine: each part that learns of a webhook with something to send adds the webhook here, and only
 * the lanes listen. Alarms save retries the wait for the next sweep, which adds a second to a wait of five; the sweep
 * finds what is lost with the process.
 */
export class DueWebhooks {
  /** By the step of `performance.now()` at whose end the alarms fire. */
  readonly #alarms = new Map<number, { webhookKeys: Set<number>; timer: NodeJS.Timeout }>();
  #alarmCount = 0;
  #listener: (webhookKeys: readonly number[]) => void = () => undefined;

  /** @param listener called with the keys of webhooks that may have due callouts. */
  listen(listener: (webhookKeys: readonly number[]) => void): void {
    this.#listener = listener;
  }

  /** Webhooks may have callouts that are due now. */
  add(webhookKeys: readonly number[]): void {
    if (webhookKeys.length > 0) this.#listener(webhookKeys);
  }

  /** A callout of the webhook is due in `waitMs`. */
  addLater(webhookKey: number, waitMs: number): void {
    if (waitMs > maxWaitMs || this.#alarmCount >= maxWebhooks) return;
    const now = performance.now();
    const step = Math.floor((now + waitMs) / stepMs);
    const alarm = this.#alarms.get(step) ?? {
      webhookKeys: new Set<number>(),
      timer: setTimeout(() => this.#fire(step), (step + 1) * stepMs - now).unref(),
    };
    this.#alarms.set(step, alarm);
    if (alarm.webhookKeys.has(webhookKey)) return;
    alarm.webhookKeys.add(webhookKey);
    this.#alarmCount += 1;
  }

  /** Drops all alarms. */
  stop(): void {
    for (const { timer } of this.#alarms.values()) clearTimeout(timer);
    this.#alarms.clear();
  }

  #fire(step: number): void {
    const webhookKeys = this.#alarms.get(step)?.webhookKeys ?? new Set();
    this.#alarms.delete(step);
    this.#alarmCount -= webhookKeys.size;
    this.add([...webhookKeys]);
  }
}
