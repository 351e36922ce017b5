// `npm run production -- DIRECTORY`: what runs in production and nothing else, made after `npm run build`. The
// image is made of it; without containers, copy it to the machine. It needs npm's registry, and leaves the checkout as it is.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

const root = path.resolve(import.meta.dirname, '..');
const [given] = process.argv.slice(2);
if (given === undefined) {
  process.stderr.write(
    'Name the directory to make, which must not exist yet: npm run production -- ../callout-0.3.0\n',
  );
  process.exit(2);
}
// npm runs this in the root of the checkout; INIT_CWD is where it was called.
const target = path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
await mkdir(target);

/** What is started, and what that depends on of this repository; the servers of `npm start` are optional to it. */
const started = ['apps/api', 'apps/worker', 'packages/cli'];
const needed = new Set(started);
for (const one of needed) {
  const manifest = await manifestOf(one);
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (name.startsWith('@callout/')) needed.add(`packages/${name.slice('@callout/'.length)}`);
  }
  delete manifest.devDependencies;
  delete manifest.optionalDependencies;
  await write(`${one}/package.json`, manifest);
  for (const part of ['dist', 'bin', 'catalogue']) await copy(`${one}/${part}`).catch(ifMissing);
  await copyStatements(one);
}
const { name, version, license, type, engines, overrides } = await manifestOf('.');
await write('package.json', {
  name,
  version,
  private: true,
  license,
  type,
  engines,
  workspaces: [...needed],
  overrides,
});
for (const file of ['package-lock.json', 'LICENSE', 'prisma', 'apps/console/dist']) await copy(file);
// Mail names the address of the downloads, so that no tree is without them.
for (const built of ['docs/.vitepress/dist', 'docs/dist/downloads']) await copy(built).catch(ifNotBuilt);

execFileSync('npm', ['ci', '--ignore-scripts', '--omit=dev', '--omit=optional', '--no-audit', '--no-fund'], {
  cwd: target,
  stdio: ['ignore', 'ignore', 'inherit'],
});

/** Prisma carries its query compiler for each database, twice; the client is generated for one of them. */
const otherCompilers = /^query_compiler_(?!small_bg\.postgresql\.)|\.map$/;
const runtime = path.join(target, 'node_modules/@prisma/client/runtime');
for (const file of await readdir(runtime)) if (otherCompilers.test(file)) await rm(path.join(runtime, file));
await removeUnread(path.join(target, 'node_modules'));
process.stdout.write(`${target} is complete.\n`);

/** What no process reads: a fifth of what npm has installed. */
async function removeUnread(directory) {
  const entries = await readdir(directory, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const one = path.join(directory, entry.name);
      if (entry.isDirectory()) await removeUnread(one);
      else if (entry.isFile() && /\.(?:map|d\.[cm]?ts)$/.test(entry.name)) await rm(one);
    }),
  );
}

async function manifestOf(directory) {
  return JSON.parse(await readFile(path.join(root, directory, 'package.json'), 'utf8'));
}

async function write(file, content) {
  await mkdir(path.dirname(path.join(target, file)), { recursive: true });
  await writeFile(path.join(target, file), `${JSON.stringify(content, null, 2)}\n`);
}

/** What is built, without its tests. */
async function copy(file) {
  await cp(path.join(root, file), path.join(target, file), {
    recursive: true,
    filter: (one) =>
      !/\.(?:test|fixture|suite)\.|[\\/](?:fixtures|bundle-[\w-]+)$|\.tsbuildinfo$|\.d\.ts$|\.map$/.test(one),
  });
}

/** Statements, which a package reads from the folder of its sources. */
async function copyStatements(one) {
  for (const file of await readdir(path.join(root, one, 'src'), { recursive: true })) {
    if (file.endsWith('.sql')) await cp(path.join(root, one, 'src', file), path.join(target, one, 'src', file));
  }
}

function ifMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

function ifNotBuilt(error) {
  if (error.code !== 'ENOENT') throw error;
  throw new Error(`${path.relative(root, error.path)} is missing: run \`npm run build\` first`);
}
