/** The sequence numbers of a webhook that a store has. */
export interface LedgerNumbers {
  /** Numbers up to `forgottenThrough` were forgotten; 0: nothing was forgotten. */
  readonly forgottenThrough: number;
  /** The higher numbers of callouts that were handled, in any order. */
  readonly handled: readonly number[];
}

/**
 * Keeps the sequence numbers of handled callouts, by webhook. Several processes share one store. Adding a number twice
 * does nothing.
 */
export interface LedgerStore {
  add(webhookGuid: string, sequenceNumber: number): void | Promise<void>;
  read(webhookGuid: string): LedgerNumbers | Promise<LedgerNumbers>;
  /** Removes the numbers up to `through`, and remembers the number. */
  forget(webhookGuid: string, through: number): void | Promise<void>;
}

/** A {@link LedgerStore} for a receiver of one process: the numbers are lost when the process ends. */
export function createMemoryLedgerStore(): LedgerStore {
  const webhooks = new Map<string, { forgottenThrough: number; readonly handled: Set<number> }>();

  function of(webhookGuid: string) {
    const ledger = webhooks.get(webhookGuid) ?? { forgottenThrough: 0, handled: new Set<number>() };
    webhooks.set(webhookGuid, ledger);
    return ledger;
  }

  return {
    add(webhookGuid, sequenceNumber) {
      const { forgottenThrough, handled } = of(webhookGuid);
      if (sequenceNumber > forgottenThrough) handled.add(sequenceNumber);
    },
    read(webhookGuid) {
      const { forgottenThrough, handled } = of(webhookGuid);
      return { forgottenThrough, handled: [...handled] };
    },
    forget(webhookGuid, through) {
      const webhook = of(webhookGuid);
      webhook.forgottenThrough = Math.max(webhook.forgottenThrough, through);
      for (const number of webhook.handled) if (number <= through) webhook.handled.delete(number);
    },
  };
}
