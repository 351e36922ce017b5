// `npm run check:migrations`: no migration of a release may be edited or removed, since databases that have it would be
// refused. Compares prisma/migrations with every tag `v*` of this repository. Ends with status 1 when one differs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DIRECTORY = 'prisma/migrations';

const root = git('rev-parse', '--show-toplevel').trim();
const tags = git('tag', '--list', 'v[0-9]*').split('\n').filter(Boolean);
const problems = tags.flatMap((tag) => differencesFrom(tag));
for (const problem of new Set(problems)) process.stderr.write(`${problem}\n`);
const said = tags.length === 0 ? 'no release is tagged here: nothing was compared' : `compared with ${tags.join(', ')}`;
process.stdout.write(`migrations: ${said}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @param {string} tag */
function differencesFrom(tag) {
  const files = git('-C', root, 'ls-tree', '-r', '--name-only', '-z', tag, '--', DIRECTORY).split('\0');
  return files
    .filter((file) => file.endsWith('/migration.sql'))
    .flatMap((file) => {
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
