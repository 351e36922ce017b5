import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataDirectory } from './data-directory.ts';
import { keyRingIn } from './made-once.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'callout-cli-'));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

describe('openDataDirectory', () => {
  it('keeps what is written from all others, and finds it again', async () => {
    const directory = await openDataDirectory(path.join(home, 'a', 'b'));
    expect(await directory.read('x')).toBeUndefined();
    await directory.write('x', 'one');
    await directory.write('x', 'two');
    expect(await directory.read('x')).toBe('two');
    expect((await stat(directory.file('x'))).mode & 0o777).toBe(0o600);
    await directory.release();
  });

  it('lets in one at a time, and says where the other one is reached', async () => {
    const first = await openDataDirectory(home);
    await expect(openDataDirectory(home)).rejects.toThrow(/is starting already \(process \d+/);
    await first.announce('http://127.0.0.1:4711/x/v1.0');
    await expect(openDataDirectory(home)).rejects.toThrow(
      `runs already: http://127.0.0.1:4711/x/v1.0 (process ${process.pid}`,
    );
    await first.release();
    await (await openDataDirectory(home)).release();
  });

  it('does not mistake the address of a crashed run for that of the present one', async () => {
    await writeFile(path.join(home, 'running.json'), JSON.stringify({ pid: 1, api: 'http://old' }));
    const directory = await openDataDirectory(home);
    await expect(openDataDirectory(home)).rejects.toThrow('is starting already');
    await directory.release();
  });

  it('says what to do where it cannot write', async () => {
    await writeFile(path.join(home, 'file'), '');
    await expect(openDataDirectory(path.join(home, 'file', 'data'))).rejects.toThrow(
      'Set CALLOUT_DATA_DIR to another directory',
    );
  });
});

describe('keyRingIn', () => {
  it('makes a key once, of 32 bytes', async () => {
    const directory = await openDataDirectory(home);
    const made = await keyRingIn(directory);
    expect(Buffer.from(made.replace(/^local:/, ''), 'base64')).toHaveLength(32);
    expect(await keyRingIn(directory)).toBe(made);
    await directory.release();
  });
});
