import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory; Linux has it here. */
const MEMORY = '/dev/shm';
/** Its type in `statfs`. */
const TMPFS_MAGIC = 0x01_02_19_94;
/** A whole run uses some 300 MB. Containers often have 64 MB here. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/**
 * The directory for the data of a test run: in memory where there is space, or else where temporary files are. A test
 * database is 800 files, and making one in memory costs PostgreSQL a tenth of the cost on a disk. Programs may not be
 * run from there.
 */
export function memoryDirectory(memory: string = MEMORY): string {
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = statfsSync(memory);
    return type === TMPFS_MAGIC && bavail * bsize >= LEAST_FREE_BYTES ? memory : tmpdir();
  } catch {
    return tmpdir(); // other systems
  }
}
