import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The first of these programs that is on PATH; undefined: none is. Titles of tests name missing programs. */
export function installedProgram(...names: readonly string[]): string | undefined {
  // oxlint-disable-next-line node/no-process-env -- a run of tests has no main.ts that could hand it down
  const directories = (process.env['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '');
  return names.flatMap((name) => directories.map((one) => path.join(one, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const DEBIAN = '/usr/lib/postgresql';

/**
 * The directory with `bin/` of an installed PostgreSQL that has a server and `pg_dump` of one version; npm's has no
 * `pg_dump`. Undefined: there is none.
 */
export function installedPostgresTools(): string | undefined {
  const onPath = installedProgram('postgres');
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => path.join(DEBIAN, version)) : [];
  const places = [...(onPath === undefined ? [] : [path.dirname(path.dirname(realpathSync(onPath)))]), ...debian];
  return places.find((place) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => isExecutable(path.join(place, 'bin', name))),
  );
}
