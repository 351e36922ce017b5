import path from 'node:path';
import type { Program } from './fork-program.ts';
import type { Programs } from './programs.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const runTypeScript = path.join(root, 'packages/testing/jest/run-typescript.js');

function fromSource(name: string, file: string): Program {
  return { name, file: path.join(root, file), execArgv: ['-C', 'source', '--import', runTypeScript] };
}

/** The programs from their sources: tests need no build. */
export const programsFromSource: Programs = {
  api: fromSource('api', 'apps/api/src/main.ts'),
  worker: fromSource('worker', 'apps/worker/src/main.ts'),
  receiver: fromSource('receiver', 'packages/bench/src/receiver/main.ts'),
  targetReceiver: fromSource('target-receiver', 'packages/bench/src/target/receiver-main.ts'),
};
