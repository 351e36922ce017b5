// `npm run check:migrations`: no migration of a release may be edited or removed, since databases that have it would be
// refused. Compares prisma/migrations with the digests in released.sha256, which a release adds to (`sha256sum` format),
// and with every tag `v*` of this repository. Ends with status 1 when one differs.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DIRECTORY = 'prisma/migrations';

const root = git('rev-parse', '--show-toplevel').trim();
/** 0.4 began with one migration that replaces those of the releases before it. */
const beforeBaseline = /^v0\.[0-3]\./;
const tags = git('tag', '--list', 'v[0-9]*')
  .split('\n')
  .filter((tag) => tag !== '' && !beforeBaseline.test(tag));
const released = releasedDigests();
const problems = [...differencesFromDigests(), ...tags.flatMap((tag) => differencesFrom(tag))];
for (const problem of new Set(problems)) process.stderr.write(`${problem}\n`);
const compared = [...(released.size > 0 ? [`${released.size} of released.sha256`] : []), ...tags];
process.stdout.write(
  compared.length > 0 ? `migrations: compared with ${compared.join(', ')}\n` : 'migrations: no release is known here\n',
);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @returns {Map<string, string>} the digest of each released migration, by its path below prisma/migrations */
function releasedDigests() {
  const list = path.join(root, DIRECTORY, 'released.sha256');
  const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

function differencesFromDigests() {
  return [...released].flatMap(([file, digest]) => {
    const present = path.join(root, DIRECTORY, file);
    if (!existsSync(present)) return [`${DIRECTORY}/${file} is missing: it was released`];
    const isSame = createHash('sha256').update(readFileSync(present)).digest('hex') === digest;
    return isSame
      ? []
      : [`${DIRECTORY}/${file} was released and is edited: put the change into a migration of its own`];
  });
}

/** @param {string} tag */
function differencesFrom(tag) {
  const files = git('-C', root, 'ls-tree', '-r', '--name-only', '-z', tag, '--', DIRECTORY).split('\0');
  return files
    .filter((file) => file.endsWith('/migration.sql'))
    .flatMap((file) => {
      if (!released.has(path.relative(DIRECTORY, file)))
        return [`${DIRECTORY}/released.sha256 lacks ${file} of ${tag}`];
      const present = path.join(root, file);
      if (!existsSync(present)) return [`${file} is missing: ${tag} was released with it`];
      const isSame = readFileSync(present, 'utf8') === git('-C', root, 'show', `${tag}:${file}`);
      return isSame ? [] : [`${file} differs from ${tag}: put the change into a migration of its own`];
    });
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
}
