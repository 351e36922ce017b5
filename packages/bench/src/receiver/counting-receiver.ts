import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Phase } from '../driver/workload.ts';
import type { ForkedProgram } from '../process/fork-program.ts';
import type { CallsOfWebhook } from './call-counts.ts';
import type { Arrivals } from './ledger.ts';
import type { Behaviour, FromReceiver, ToReceiver } from './messages.ts';

/** The receiver's process, as the benchmark sees it. */
export interface CountingReceiver {
  /** Address of a webhook, by its number from 0. */
  urlOf(webhook: number): string;
  /** Opens a port for each of so many webhooks. Returns their addresses, by number of the webhook. */
  openPorts(webhooks: number): Promise<string[]>;
  /** Opens the books of a phase. */
  begin(phase: Phase, events: number, behaviours: readonly Behaviour[]): Promise<void>;
  /**
   * Changes the behaviour of all webhooks.
   * @returns what those that were not prompt were called until now, or until the last change, by number of the webhook.
   */
  behave(behaviours: readonly Behaviour[]): Promise<readonly CallsOfWebhook[]>;
  /** Waits until `owed` callouts have come, or until none comes any more. */
  waitFor(owed: number, limits: WaitLimits): Promise<void>;
  /** The books of the present phase. */
  arrivals(): Promise<Arrivals>;
}

export interface WaitLimits {
  /** How long it may be quiet. */
  readonly patienceMs: number;
  /** Asked while it is quiet: whether there is nothing left to wait for. */
  readonly isNothingOwed: () => Promise<boolean>;
}

type Answers = { [K in FromReceiver['kind']]?: (message: Extract<FromReceiver, { kind: K }>) => void };

const LOOK_EVERY_MS = 20;
/** After so long without a callout it is worth asking whether there will be another. */
const QUIET_MS = 1000;

/** Talks to a receiver that was just forked. Resolves when it listens. */
export async function connectReceiver({ child }: ForkedProgram): Promise<CountingReceiver> {
  const progress = { delivered: 0, changedAtMs: nowMs() };
  const waiting: Answers = {
    progress(message) {
      progress.delivered = message.delivered;
      progress.changedAtMs = nowMs();
    },
  };
  child.on('message', (message: FromReceiver) => {
    const take = waiting[message.kind] as ((message: FromReceiver) => void) | undefined;
    take?.(message);
  });
  const tell = (message: ToReceiver) => void child.send(message);

  const { port } = await new Promise<Extract<FromReceiver, { kind: 'listening' }>>((resolve) => {
    waiting.listening = resolve;
  });
  return {
    urlOf: (webhook) => `http://127.0.0.1:${port}/${webhook}`,
    async openPorts(webhooks) {
      const { ports } = await new Promise<Extract<FromReceiver, { kind: 'opened' }>>((resolve) => {
        waiting.opened = resolve;
        tell({ kind: 'open', webhooks });
      });
      return ports.map((opened, webhook) => `http://127.0.0.1:${opened}/${webhook}`);
    },
    async begin(phase, events, behaviours) {
      await new Promise<unknown>((resolve) => {
        waiting.began = resolve;
        tell({ kind: 'begin', phase, events, behaviours });
      });
      progress.delivered = 0;
      progress.changedAtMs = nowMs();
    },
    async behave(behaviours) {
      const { calls } = await new Promise<Extract<FromReceiver, { kind: 'behaved' }>>((resolve) => {
        waiting.behaved = resolve;
        tell({ kind: 'behave', behaviours });
      });
      return calls;
    },
    async waitFor(owed, { patienceMs, isNothingOwed }) {
      while (progress.delivered < owed) {
        const quietMs = nowMs() - progress.changedAtMs;
        if (quietMs > patienceMs || (quietMs > QUIET_MS && (await isNothingOwed()))) return;
        await sleep(quietMs > QUIET_MS ? QUIET_MS / 2 : LOOK_EVERY_MS);
      }
    },
    async arrivals() {
      const { arrivals } = await new Promise<Extract<FromReceiver, { kind: 'arrivals' }>>((resolve) => {
        waiting.arrivals = resolve;
        tell({ kind: 'report' });
      });
      return arrivals;
    },
  };
}
