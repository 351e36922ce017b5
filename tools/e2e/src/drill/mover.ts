import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../../../packages/cli/dist/callout/main.js');
const TRIES = 100;
const BEFORE_NEXT_TRY_MS = 500;
/** The time when it is killed or frozen, after it has begun to work, which takes it a second. */
const KILLED_AFTER_MS = [600, 4_000] as const;
/** Longer than PostgreSQL lets an idle transaction stay open; some, longer than it keeps its lock. */
const FROZEN_MS = [6_000, 13_000] as const;

interface MoverDeps {
  readonly random: Random;
  /** The arguments after `callout admin tenants move`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How often the command is killed or frozen; after that it may end. */
  readonly kills: number;
}

interface MoverReport {
  /** The output of the last one. */
  readonly printed: string;
  /** How often it ran, killed or refused by a database that was away. */
  readonly runs: number;
  readonly kills: number;
}

/**
 * Runs the command until it has done its work, and kills or freezes it some times on the way. @throws when it never
 * succeeds.
 */
export async function moveUntilDone({ random, args, env, kills }: MoverDeps): Promise<MoverReport> {
  let killed = 0;
  for (let runs = 1; ; runs += 1) {
    const child = spawn(process.execPath, [PROGRAM, 'admin', 'tenants', 'move', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    // Killed first: one that was frozen may do its work all the same.
    const isFrozen = killed % 2 === 1;
    let timer: NodeJS.Timeout | undefined;
    const freeze = (): void => {
      killed += 1;
      child.kill('SIGSTOP');
      timer = setTimeout(() => child.kill('SIGCONT'), random.between(...FROZEN_MS));
    };
    if (killed < kills) {
      timer = setTimeout(isFrozen ? freeze : () => child.kill('SIGKILL'), random.between(...KILLED_AFTER_MS));
    }
    const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    if (signal === 'SIGKILL') killed += 1;
    if (status === 0) return { printed: printed.trim(), runs, kills: killed };
    if (runs >= TRIES) throw new Error(`the tenant could not be moved: ${printed}`);
    await sleep(BEFORE_NEXT_TRY_MS);
  }
}
