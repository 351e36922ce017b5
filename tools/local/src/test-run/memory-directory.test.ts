import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { memoryDirectory } from './memory-directory.ts';
import { temporaryDirectory } from './temporary-directory.fixture.ts';

const dir = temporaryDirectory();

describe('memoryDirectory', () => {
  it('is in memory, or where temporary files are', () => {
    expect(['/dev/shm', tmpdir()]).toContain(memoryDirectory());
  });

  it.each(['is-not-there', 'is-on-a-disk'])('is where temporary files are when the other %s', async (name) => {
    const other = path.join(dir, name);
    if (name === 'is-on-a-disk') await mkdir(other);
    expect(memoryDirectory(other)).toBe(tmpdir());
  });
});
