import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type Installation, type Settings, startRedisRelay } from '@callout/testing';
import type { DrillServers } from './servers.ts';
import { createSlot, type Slot } from './slot.ts';

/** What a drill can change of the machine of one process: its network and its clock. */
export interface Machine {
  /** By which the process gets there. */
  readonly settings: Settings;
  /** Breaks every connection to PostgreSQL and Redis. */
  cutConnections(): void;
  /** Forwards nothing for a while, without a reset to either side. */
  dropPackets(forMs: number): Promise<void>;
  /** Sets its clock back for a while. */
  setClockBack(byMs: number, forMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** A machine for each process of a drill. */
export interface Machines {
  /** Makes a machine with the place of a process. */
  place(installation: Installation, app: App, name: string): Promise<Slot>;
  /** @throws Error for a process that was placed elsewhere. */
  readonly machineOf: (slot: Slot) => Machine;
}

/** @param onStop is called with a function that ends each machine. */
export function createMachines(servers: DrillServers, onStop: (stop: () => Promise<void>) => void): Machines {
  const machines = new Map<Slot, Machine>();
  return {
    async place(installation, app, name) {
      const dir = await mkdtemp(path.join(tmpdir(), 'callout-drill-machine-'));
      onStop(() => rm(dir, { recursive: true }));
      const machine = await startMachine(servers, dir);
      onStop(() => machine.stop());
      const slot = createSlot(installation, app, name, machine.settings);
      machines.set(slot, machine);
      return slot;
    },
    machineOf(slot) {
      const machine = machines.get(slot);
      if (machine === undefined) throw new Error(`${slot.name} has no machine of its own`);
      return machine;
    },
  };
}

const CLOCK = path.join(import.meta.dirname, 'clock.cjs');

async function startMachine({ databaseUrl, redisUrl }: DrillServers, dir: string): Promise<Machine> {
  const relays = [await startRedisRelay(databaseUrl), await startRedisRelay(redisUrl)] as const;
  const clock = path.join(dir, 'clock');
  const setClock = (offsetMs: number) => writeFile(clock, String(offsetMs));
  await setClock(0);
  return {
    settings: {
      DATABASE_URL: relays[0].url,
      REDIS_URL: relays[1].url,
      NODE_OPTIONS: `--require ${CLOCK}`,
      DRILL_CLOCK: clock,
    },
    cutConnections() {
      for (const relay of relays) {
        relay.cut();
        relay.mend();
      }
    },
    async dropPackets(forMs) {
      for (const relay of relays) relay.stall();
      await sleep(forMs);
      for (const relay of relays) relay.mend();
    },
    async setClockBack(byMs, forMs) {
      await setClock(-byMs);
      await sleep(forMs);
      await setClock(0);
    },
    stop: async () => void (await Promise.all(relays.map((relay) => relay.stop()))),
  };
}
