import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { acquireProcessLock } from '@callout/local/process';
import { CannotGoOn } from './cannot-go-on.ts';

/** The stored state of one installation. At most one process uses the directory at a time. */
export interface DataDirectory {
  readonly path: string;
  /** The directory is removed in the end, with everything inside. */
  readonly isTemporary: boolean;
  /** The path of a file or directory in it. */
  readonly file: (name: string) => string;
  /** The text of a file, or undefined when there is none. */
  readonly read: (name: string) => Promise<string | undefined>;
  /**
   * Writes a file that only the owner may read: the whole text, or nothing when the process is killed in the middle.
   */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Publishes the address of this process for a second start. */
  readonly announce: (api: string) => Promise<void>;
  /** Lets the next process in. */
  readonly release: () => Promise<void>;
}

const RUNNING = 'running.json';

/**
 * Opens a data directory, and makes a missing directory.
 * @throws CannotGoOn when another process uses the directory (with the address of the process), or when we may not
 * write there.
 */
export async function openDataDirectory(directory: string): Promise<DataDirectory> {
  try {
    return await openDirectory(directory);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) throw error;
    throw new CannotGoOn(
      `Cannot keep data in ${directory} (${code}): it is not ours to write to. Set CALLOUT_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

async function openDirectory(directory: string): Promise<DataDirectory> {
  const created = await mkdir(directory, { recursive: true, mode: 0o700 });
  // As root, the user of PostgreSQL has to pass; the files in the directory are closed to that user one by one.
  if (created !== undefined && process.getuid?.() === 0) await chmod(directory, 0o711);
  const file = (name: string) => path.join(directory, name);
  const read = (name: string) => readIfThere(file(name));

  const lock = await acquireProcessLock(file('lock'));
  if (lock.kind === 'held') throw new CannotGoOn(whoRuns(directory, lock.pid, await read(RUNNING)));

  async function write(name: string, text: string): Promise<void> {
    const draft = file(`${name}.${randomUUID()}`);
    try {
      await writeFile(draft, text, { mode: 0o600, flush: true });
      await rename(draft, file(name));
    } finally {
      await rm(draft, { force: true });
    }
  }

  return {
    path: directory,
    isTemporary: false,
    file,
    read,
    write,
    announce: (api) => write(RUNNING, JSON.stringify({ pid: process.pid, api })),
    async release() {
      await rm(file(RUNNING), { force: true });
      await lock.release();
    },
  };
}

/** @param running the announcement of the process; that of another process is left over from a crash. */
function whoRuns(directory: string, pid: number, running: string | undefined): string {
  const announced = JSON.parse(running ?? '{}') as { pid?: number; api?: string };
  const state =
    announced.pid === pid && announced.api !== undefined ? `runs already: ${announced.api}` : 'is starting already';
  return `Callout ${state} (process ${pid}, data in ${directory}).\nTo run another one beside it, give it data of its own with CALLOUT_DATA_DIR.`;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
