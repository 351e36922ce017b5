import { ensurePartitions, wakeLateEvents, webhooksWithDueCallouts } from '@callout/db';
import { startSweep as start } from '../sweep.ts';
import type { RoleDeps, StartRole } from './role.ts';

/** The role that finds what is owed and forgotten. */
export const startSweep: StartRole = ({ config, pool, producer, log }: RoleDeps) => {
  const sweep = start({
    wakeLateEvents: (limit) => wakeLateEvents(pool, limit),
    webhooksWithDueCallouts: (afterKey, limit) => webhooksWithDueCallouts(pool, afterKey, limit),
    ensurePartitions: () => ensurePartitions(pool, new Date()),
    producer,
    everyMs: config.SWEEP_EVERY_MS,
    log,
  });
  return [{ name: 'sweep', stop: () => sweep.stop() }];
};
