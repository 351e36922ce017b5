import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

/** A directory for the tests of this file; removed after them. */
export async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(path.join(await realpath(tmpdir()), 'callout-local-'));
  await chmod(dir, 0o711); // as root, the user that PostgreSQL runs as has to pass
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
