import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;
const BEAT_EVERY_MS = 2_000;
/** A builder that has not touched its lock for so long is gone, whatever process has its id by now. */
const DEAD_AFTER_MS = 20_000;

/**
 * One build at a time: two that write the same files at once would read each other's halves. Waits for its turn; a
 * builder that was killed is not waited for. Where nothing may be written there is nothing to protect.
 *
 * @param {string} file
 * @returns {Promise<() => Promise<void>>} gives the turn to the next
 */
export async function takeBuildLock(file) {
  for (;;) {
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) return async () => {};
      if (error.code !== 'EEXIST') throw error;
    }
    if (await isAbandoned(file)) await rm(file, { force: true });
    else await sleep(LOOK_EVERY_MS);
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), BEAT_EVERY_MS);
  return async () => {
    clearInterval(beat);
    await rm(file, { force: true });
  };
}

/** @param {string} file */
async function isAbandoned(file) {
  try {
    const { mtimeMs } = await stat(file);
    const pid = Number(await readFile(file, 'utf8'));
    return Date.now() - mtimeMs > DEAD_AFTER_MS || (pid > 0 && !isAlive(pid));
  } catch (error) {
    // Finished in the meantime.
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
