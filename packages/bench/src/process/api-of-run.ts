import type { BenchOptions } from '../options.ts';
import type { Services } from '../services/services.ts';
import type { BenchDeps, Stage } from '../stage.ts';
import { serviceProcesses, settingsOf } from './service-processes.ts';

interface ApiOfRun {
  /** Up to and including `/v1.0`. */
  readonly url: string;
  readonly pid: number;
  /** Its own and those of PostgreSQL, where that runs on this machine. */
  readonly pids: readonly number[];
  /** What was set beyond the defaults, for the report. */
  readonly settings: readonly string[];
}

/**
 * Starts the API alone, for a run that asks it and has nothing delivered.
 * @param more settings beyond those of the options and the environment.
 */
export async function apiOfRun(
  options: BenchOptions,
  { env, programs }: BenchDeps,
  { fork, guarded }: Stage,
  services: Services,
  more: Readonly<Record<string, string>> = {},
): Promise<ApiOfRun> {
  const settings = { ...settingsOf(options, env), ...more };
  const { url, pid } = await guarded(serviceProcesses(options, { fork, programs, services, settings }).startApi());
  return {
    url,
    pid,
    pids: services.postgres.pid === undefined ? [pid] : [pid, services.postgres.pid],
    settings: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  };
}
