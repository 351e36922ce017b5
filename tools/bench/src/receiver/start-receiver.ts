import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../measure/latency.ts';
import type { Stage } from '../stage.ts';
import { callsTo, type CallChild } from './channel.ts';
import type { Receiver } from './counting-receiver.ts';

/** The receiver's process, as the benchmark sees it. */
export interface StartedReceiver {
  readonly pid: number;
  readonly call: CallChild<Receiver>;
  /**
   * Waits until `owed` callouts have come, or until none has come for `patienceMs`. @param isNothingOwed is asked while it
   * is quiet: whether there is nothing left to wait for.
   */
  waitFor(owed: number, patienceMs: number, isNothingOwed?: () => Promise<boolean>): Promise<void>;
}

const LOOK_EVERY_MS = 20;
/** After so long without a callout it is worth asking whether there will be another. */
const QUIET_MS = 1000;

export async function startReceiver({ fork }: Stage): Promise<StartedReceiver> {
  const { child, pid } = await fork({ name: 'receiver', file: 'tools/bench/dist/receiver/main.js' });
  const call = callsTo<Receiver>(child);
  return {
    pid,
    call,
    async waitFor(owed, patienceMs, isNothingOwed = () => Promise.resolve(false)) {
      let [delivered, changedAtMs] = [0, nowMs()];
      for (;;) {
        const now = await call('delivered');
        if (now >= owed) return;
        if (now > delivered) [delivered, changedAtMs] = [now, nowMs()];
        const quietMs = nowMs() - changedAtMs;
        if (quietMs > patienceMs || (quietMs > QUIET_MS && (await isNothingOwed()))) return;
        await sleep(quietMs > QUIET_MS ? QUIET_MS / 2 : LOOK_EVERY_MS);
      }
    },
  };
}
