import type { Fault } from './faults/faults.ts';
import type { Scenario } from './faults/scenario.ts';
import { type DrillServices, startDrillServices } from './faults/services.ts';
import type { Slot } from './faults/slot.ts';

/** API and worker of the older version must come up again on the tables of the newer one, too. */
const restarts = (slot: Slot, rounds: number): Fault[] => {
  const restart = (signal: 'SIGTERM' | 'SIGKILL'): Fault => ({
    name: signal,
    happen: (random) => slot.restart(signal, random.between(0, 500)),
  });
  return Array.from({ length: rounds }, () => [restart('SIGTERM'), restart('SIGKILL')]).flat();
};

/**
 * API and workers of two versions run side by side on the tables of the newer one, under load, while each of them is
 * restarted.
 * @param olderRoot where the older version is built; undefined: this version runs beside itself.
 */
export function rollingUpgrade(olderRoot: string | undefined, rounds: number): Scenario<DrillServices> {
  return {
    start: () => startDrillServices(),
    beside: { root: olderRoot },
    plans: ({ api, workers, beside }) =>
      [api, ...workers, ...beside].map((slot) => ({
        name: slot.name,
        pauseMs: [500, 2000],
        faults: restarts(slot, rounds),
      })),
  };
}
