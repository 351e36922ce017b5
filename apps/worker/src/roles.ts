import type { WorkerConfig } from '@callout/runtime/config';
import type { StopStep } from '@callout/runtime/process';
import { startDeliver } from './deliver/start.ts';
import { startMatch } from './match/start.ts';
import { startNotify } from './notify/start.ts';
import type { RoleDeps } from './role.ts';
import { startSweep } from './sweep/start.ts';

/**
 * Starts the roles of this process. One that both matches and delivers sends what it has matched without asking Redis or
 * PostgreSQL for it.
 * @returns the steps that stop them, in order: what makes work before what does it.
 */
export function startRoles(roles: WorkerConfig['WORKER_ROLES'], deps: RoleDeps): StopStep[] {
  const delivery = roles.includes('deliver') ? startDeliver(deps) : null;
  return [
    ...(roles.includes('match') ? startMatch(deps, delivery?.lanes ?? null) : []),
    ...(delivery?.steps ?? []),
    ...(roles.includes('notify') ? startNotify(deps) : []),
    ...(roles.includes('sweep') ? startSweep(deps) : []),
  ];
}
