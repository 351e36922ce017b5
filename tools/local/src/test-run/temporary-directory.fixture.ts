import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

/** A directory for the tests of this file, removed after them. @param home its parent. */
export function temporaryDirectory(home: string = tmpdir()): string {
  const dir = mkdtempSync(path.join(realpathSync(home), 'callout-local-'));
  chmodSync(dir, 0o711); // as root, the user that PostgreSQL runs as has to pass
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
