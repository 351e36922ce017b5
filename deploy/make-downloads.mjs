// `npm run downloads`: what an integrator needs who has no checkout, which the API serves below `/docs/downloads/`: the
// libraries and the command line as npm packages, and the example receivers. The checkout must be built; npm's registry
// is not needed.
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const target = path.join(root, 'docs/dist/downloads');

/** In place of `admin`: where it is. */
const withoutAdmin = `
import { Problem } from '@callout/domain/problem';
export function addAdminCommands(program) {
  program
    .command('admin', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw Problem.invalid('admin is part of the installation, not of this package. Run it there, with \`npx callout admin\`.');
    });
}
`;

const made = await mkdtemp(path.join(tmpdir(), 'callout-downloads-'));
try {
  for (const name of ['receiver', 'client']) await pack(path.join(root, 'packages', name), 'dist/index.js');
  await pack(await commandLine(path.join(made, 'callout-cli')), 'bin/callout.js');
  await rm(path.join(made, 'callout-cli'), { recursive: true });
  await chmod(made, 0o755);
  const isExample = (file) =>
    !/[\\/](?:node_modules|bin|obj|__pycache__|README\.md)(?:[\\/]|$)/u.test(file.slice(root.length));
  await cp(path.join(root, 'examples'), path.join(made, 'examples'), { recursive: true, filter: isExample });
  // At once, so that nobody downloads half of it; another device may hold the temporary files.
  const fresh = `${target}.new`;
  await rm(fresh, { recursive: true, force: true });
  await cp(made, fresh, { recursive: true });
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
} finally {
  await rm(made, { recursive: true, force: true });
}

/** Packs a package as npm would publish it. `main` must be built: without it a package would be installed and not work. */
async function pack(directory, main) {
  if (!(await stat(path.join(directory, main)).catch(() => undefined))) {
    throw new Error(`${path.relative(root, path.join(directory, main))} is missing: run \`npm run build\` first`);
  }
  const options = ['pack', '--ignore-scripts', '--silent', '--pack-destination', made];
  execFileSync('npm', options, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The command line in one file, without `admin`, which needs the database and everything that comes with it. */
async function commandLine(directory) {
  const { version, license, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const replaced = [
    [/packages[\\/]cli[\\/]dist[\\/]callout[\\/]admin[\\/]admin\.js$/u, withoutAdmin],
    // Never called: only commands below `admin` have `--tenant`.
    [
      /packages[\\/]cli[\\/]dist[\\/]callout[\\/]admin[\\/]operator[\\/]open-operator\.js$/u,
      'export const openTenant = null;',
    ],
    [
      /packages[\\/]database[\\/]dist[\\/]connection[\\/]database-away\.js$/u,
      'export const isDatabaseAway = () => false;',
    ],
    [/[\\/]own-version\.js$/u, `export const ownVersion = async () => ${JSON.stringify(version)};`],
    [
      /[\\/]catalogue-dir\.js$/u,
      `import path from 'node:path';\nexport const ownCatalogueDir = path.join(import.meta.dirname, '../catalogue');`,
    ],
  ];
  const bundle = await rolldown({
    input: path.join(root, 'packages/cli/dist/callout/main.js'),
    platform: 'node',
    plugins: [
      {
        name: 'without the installation',
        load: (file) => replaced.find(([pattern]) => pattern.test(file))?.[1] ?? null,
      },
    ],
  });
  const banner = '#!/usr/bin/env node';
  await bundle.write({
    file: path.join(directory, 'bin/callout.js'),
    format: 'esm',
    codeSplitting: false,
    banner,
  });
  await bundle.close();
  await cp(path.join(root, 'packages/domain/catalogue'), path.join(directory, 'catalogue'), { recursive: true });
  for (const file of ['LICENSE', 'packages/cli/README.md']) {
    await cp(path.join(root, file), path.join(directory, path.basename(file)));
  }
  const manifest = {
    name: '@callout/cli',
    version,
    description: 'Callout in a terminal: receive on a local port, watch, explain, repair',
    license,
    type: 'module',
    engines,
    bin: { callout: 'bin/callout.js' },
    files: ['bin', 'catalogue'],
  };
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return directory;
}
