import type { BenchDeps, Stage } from '../stage.ts';
import { startServices, type Services } from './services.ts';

/** The servers that a run uses: those that its environment names, else ones of our own that end with it. */
export function servicesOfRun({ env, dataDir }: BenchDeps, { guarded, onStop }: Stage): Promise<Services> {
  const [databaseUrl, redisUrl] = [env['DATABASE_URL'] || undefined, env['REDIS_URL'] || undefined];
  return guarded(startServices({ databaseUrl, redisUrl, dataDir, onStop }));
}
