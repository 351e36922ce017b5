import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../../..');
const OUTPUT_LIMIT = 64 * 1024 ** 2;

export interface OlderVersion {
  /** Its tag, such as `v0.4.0`, or its commit. */
  readonly release: string;
  /** Where it is built. */
  readonly root: string;
  remove(): Promise<void>;
}

/**
 * The newest release that this checkout comes after: its tag, or where a clone has no tags its commit, which is known
 * by the subject `release: <version>`. Releases before 0.4 had other tables. Undefined: there is none, or this is no
 * checkout.
 */
export async function lastRelease(): Promise<string | undefined> {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', '--exclude', 'v0.[0-3].*');
  return (
    tag ??
    (await git(
      'log',
      '--extended-regexp',
      '--grep=^release: ([1-9]|0\\.([4-9]|[1-9][0-9]))',
      '--max-count=1',
      '--format=%H',
    ))
  );
}

/**
 * The output of git. Undefined: none; or no such tag, no git, or not a checkout at all, such as an unpacked archive.
 */
async function git(...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', args, { cwd: ROOT });
    return stdout.trim() || undefined;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error) return undefined;
    throw error;
  }
}

/**
 * Builds API and worker of a release in a temporary directory, with the dependencies that are installed here.
 * @throws Error with the messages of the compiler when it does not build with them.
 */
export async function buildRelease(release: string): Promise<OlderVersion> {
  const root = await mkdtemp(path.join(tmpdir(), 'callout-release-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    await run('/bin/sh', ['-c', 'git archive "$0" | tar -x -C "$1"', release, root], { cwd: ROOT });
    await linkDependencies(root);
    await compile(root);
    return { release, root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** By the release's own tasks, which generate files in the right order. */
async function compile(root: string): Promise<void> {
  const turbo = path.join(root, 'node_modules', '.bin', 'turbo');
  const running = run(turbo, ['run', '//#compile', '--force'], { cwd: root, maxBuffer: OUTPUT_LIMIT });
  await running.catch((error: Error & { stdout?: string }) => {
    // Compilers write errors to stdout, which the message does not have.
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error });
  });
}

/** Its own packages are those of the release; all others are those of this checkout. */
async function linkDependencies(root: string): Promise<void> {
  const installed = path.join(ROOT, 'node_modules');
  const linked = path.join(root, 'node_modules');
  await mkdir(path.join(linked, '@callout'), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name !== '@callout' && name !== '.cache') await symlink(path.join(installed, name), path.join(linked, name));
  }
  for (const folder of ['apps', 'packages', 'tools']) {
    for (const name of await readdir(path.join(root, folder))) {
      await symlink(path.join(root, folder, name), path.join(linked, '@callout', name));
      const own = path.join(ROOT, folder, name, 'node_modules');
      await symlink(own, path.join(root, folder, name, 'node_modules'));
    }
  }
}
