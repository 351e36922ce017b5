import path from 'node:path';
import { nodeFlags } from '@callout/runtime/process';
import type { Program } from './fork-program.ts';

/** The programs of a run. */
export interface Programs {
  readonly api: Program;
  readonly worker: Program;
  readonly receiver: Program;
  /** Counts what another sender sends. */
  readonly targetReceiver: Program;
}

/** The programs as `npm run build` makes them. */
export function builtPrograms(): Programs {
  const root = path.resolve(import.meta.dirname, '../../../..');
  const built = (name: string, file: string): Program => ({ name, file: path.join(root, file), execArgv: [] });
  /** As `npm start` and the image start them. */
  const own = (name: string, file: string): Program => ({ ...built(name, file), execArgv: nodeFlags });
  return {
    api: own('api', 'apps/api/dist/main.js'),
    worker: own('worker', 'apps/worker/dist/main.js'),
    receiver: built('receiver', 'packages/bench/dist/receiver/main.js'),
    targetReceiver: built('target-receiver', 'packages/bench/dist/target/receiver-main.js'),
  };
}

/** The same program, writing a CPU profile into a directory when it ends. */
export function profiled(program: Program, dir: string | undefined): Program {
  if (dir === undefined) return program;
  return {
    ...program,
    execArgv: [
      ...program.execArgv,
      '--cpu-prof',
      `--cpu-prof-dir=${path.resolve(dir)}`,
      `--cpu-prof-name=${program.name}.cpuprofile`,
    ],
  };
}
