import { briefFaultPlans, faultPlans, type FaultPlan, type Targets } from './faults.ts';
import type { DrillServers } from './servers.ts';
import { startDrillServices, type DrillServices } from './services.ts';

/** What a drill runs on, and what goes wrong meanwhile. */
export interface Scenario<Servers extends DrillServers> {
  readonly start: () => Promise<Servers>;
  /** An API and a worker of another version run beside those of this one; `root` is where it is built. */
  readonly beside?: { readonly root: string | undefined };
  readonly plans: (targets: Targets<Servers>) => FaultPlan[];
}

/** Everything is emptied, restarted, frozen and killed at random moments, as often as there are rounds. */
export function chaos(rounds: number): Scenario<DrillServices> {
  return { start: startDrillServices, plans: (targets) => faultPlans(targets, rounds) };
}

/** The worst that can happen to each of them, once. */
export const briefChaos: Scenario<DrillServices> = { start: startDrillServices, plans: briefFaultPlans };
