import { type Extent, mixedPlans, shortPlans, type Tally } from './every-fault.ts';
import { briefFaultPlans, type FaultPlan, type Targets } from './faults.ts';
import type { DrillServers } from './servers.ts';
import { startDrillServices, type DrillServices } from './services.ts';

/** The services of a drill, and its faults. */
export interface Scenario<Servers extends DrillServers> {
  readonly start: () => Promise<Servers>;
  /** An API and a worker of another version run beside those of this one; `root` is the directory of its build. */
  readonly beside?: { readonly root: string | undefined };
  /** Each process has a machine of its own: `Targets.machineOf`. */
  readonly hasMachines?: boolean;
  /** Two APIs and four workers, and fewer requests, so that it can go on for long. */
  readonly isLong?: boolean;
  readonly plans: (targets: Targets<Servers>) => FaultPlan[];
}

/** Everything is emptied, restarted, frozen and killed at random moments, as often as there are rounds. */
export function chaos(rounds: number): Scenario<DrillServices> {
  return {
    hasMachines: true,
    start: () => startDrillServices(),
    plans: (targets) => shortPlans(targets, rounds),
  };
}

/** The worst that can happen to each of them, once. */
export const briefChaos: Scenario<DrillServices> = {
  start: () => startDrillServices(),
  plans: briefFaultPlans,
};

/** Everything that can go wrong, hundreds of times. */
export function mixed(extent: Extent, tally: Tally): Scenario<DrillServices> {
  return {
    hasMachines: true,
    isLong: true,
    start: () => startDrillServices({ hasOwnDisk: true }),
    plans: (targets) => mixedPlans(targets, extent, tally),
  };
}
