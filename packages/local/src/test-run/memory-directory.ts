import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory; Linux has it here. */
const MEMORY = '/dev/shm';
/** What `statfs` calls it. */
const TMPFS_MAGIC = 0x01_02_19_94;
/** A whole run uses some 300 MB. Containers often have 64 MB here. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/**
 * Where the data of a test run belongs: in memory where there is room, or else where temporary files are. A test database
 * is 800 files, and making one costs PostgreSQL a tenth in memory of what it costs on a disk. Programs may not be run
 * from there.
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
