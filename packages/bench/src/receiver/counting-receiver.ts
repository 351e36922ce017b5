import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Phase } from '../driver/workload.ts';
import type { ForkedProgram } from '../process/fork-program.ts';
import type { Arrivals } from './ledger.ts';
import type { Behaviour, FromReceiver, ToReceiver } from './messages.ts';

/** The receiver's process, as the benchmark sees it. */
export interface CountingReceiver {
  readonly pid: number;
  /** Address of a webhook, by its number from 0. */
  urlOf(webhook: number): string;
  /** Starts the books of a phase anew. */
  begin(phase: Phase, events: number, behaviours: readonly Behaviour[]): Promise<void>;
  /** Waits until `owed` callouts have come, or until none has come for `patienceMs`. */
  waitFor(owed: number, patienceMs: number): Promise<void>;
  /** The books of the present phase. */
  arrivals(): Promise<Arrivals>;
}

const LOOK_EVERY_MS = 20;

/** Talks to a receiver that was just forked. Resolves when it listens. */
export async function connectReceiver({ child, pid }: ForkedProgram): Promise<CountingReceiver> {
  let delivered = 0;
  let changedAtMs = nowMs();
  child.on('message', (message: FromReceiver) => {
    if (message.kind !== 'progress') return;
    delivered = message.delivered;
    changedAtMs = nowMs();
  });

  async function answer<K extends FromReceiver['kind']>(kind: K): Promise<Extract<FromReceiver, { kind: K }>> {
    for (;;) {
      const [message] = (await once(child, 'message')) as [FromReceiver];
      if (message.kind === kind) return message as Extract<FromReceiver, { kind: K }>;
    }
  }
  const tell = (message: ToReceiver) => void child.send(message);

  const { port } = await answer('listening');
  return {
    pid,
    urlOf: (webhook) => `http://127.0.0.1:${port}/${webhook}`,
    async begin(phase, events, behaviours) {
      const began = answer('began');
      tell({ kind: 'begin', phase, events, behaviours });
      await began;
      delivered = 0;
      changedAtMs = nowMs();
    },
    async waitFor(owed, patienceMs) {
      while (delivered < owed && nowMs() - changedAtMs < patienceMs) await sleep(LOOK_EVERY_MS);
    },
    async arrivals() {
      const books = answer('arrivals');
      tell({ kind: 'report' });
      return (await books).arrivals;
    },
  };
}
