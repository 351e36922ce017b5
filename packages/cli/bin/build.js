import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { takeBuildLock } from './build-lock.js';

/** Why nothing can be started, to be shown as it is. */
export class BuildProblem extends Error {}

/**
 * Makes everything that the projects need: the Prisma client, the compiled TypeScript and, where it is wanted, the
 * console. What is up to date is left alone, which takes half a second. Silent, but for one line on stderr before a first
 * build and for errors.
 *
 * @param {string} root of the checkout
 * @param {readonly string[]} projects directories with a tsconfig.json
 * @param {string} main a file that is there after the first build
 * @param {{ withConsole?: boolean }} [options]
 * @throws BuildProblem when a tool is missing or fails
 */
export async function build(root, projects, main, { withConsole = false } = {}) {
  if (!existsSync(path.join(root, 'node_modules/typescript'))) {
    throw new BuildProblem('The dependencies are not installed. Run `npm ci` first.');
  }
  const release = await takeBuildLock(path.join(root, 'node_modules/.cache/callout-build.lock'));
  try {
    if (!existsSync(path.resolve(root, main)))
      process.stderr.write('Building; only the first start waits for this ...\n');
    if (!(await isClientGenerated(root))) await run(root, 'prisma', ['generate']);
    // Types are for `npm run check` to judge: what is wrong in a test, say, is no reason not to start.
    const compiling = run(root, 'typescript', ['-b', '--noCheck', ...projects], 'tsc');
    // The bundler reads sources, so it need not wait for the compiler.
    const bundling =
      withConsole && !(await isConsoleBuilt(root)) ? run(root, 'vite', ['build', 'apps/console']) : undefined;
    await Promise.all([compiling, bundling]);
  } finally {
    await release();
  }
}

/**
 * Whether the Prisma client is that of the schema: it holds the schema and the version that it was made from. Prisma aligns
 * the columns of the schema that it keeps, so only the words count.
 *
 * @param {string} root of the checkout
 */
export async function isClientGenerated(root) {
  const generated = path.join(root, 'packages/database/src/generated/internal/class.ts');
  if (!existsSync(generated)) return false;
  const client = await readFile(generated, 'utf8');
  const schema = await readFile(path.join(root, 'prisma/schema.prisma'), 'utf8');
  const { version } = JSON.parse(await readFile(path.join(root, 'node_modules/prisma/package.json'), 'utf8'));
  const [, kept = '""'] = /^ *"inlineSchema": (".*"),?$/m.exec(client) ?? [];
  return words(JSON.parse(kept)) === words(schema) && client.includes(`"clientVersion": "${version}"`);
}

/** @param {string} root of the checkout */
async function isConsoleBuilt(root) {
  const built = await stat(path.join(root, 'apps/console/dist/index.html')).catch(() => undefined);
  if (built === undefined) return false;
  const sources = ['apps/console', 'packages/client/src'].map((directory) => newestFile(path.join(root, directory)));
  const installed = stat(path.join(root, 'node_modules/.package-lock.json')).catch(() => ({ mtimeMs: 0 }));
  return Math.max(...(await Promise.all(sources)), (await installed).mtimeMs) <= built.mtimeMs;
}

/**
 * @param {string} directory
 * @returns {Promise<number>} when the newest file below was changed, without those that tools make
 */
async function newestFile(directory) {
  const entries = await readdir(directory, { withFileTypes: true });
  const times = entries
    .filter(({ name }) => !['dist', 'generated', 'node_modules', '.turbo'].includes(name))
    .map(async (entry) => {
      const place = path.join(directory, entry.name);
      return entry.isDirectory() ? newestFile(place) : (await stat(place)).mtimeMs;
    });
  return Math.max(0, ...(await Promise.all(times)));
}

/** @param {string} text */
function words(text) {
  return text.trim().split(/\s+/).join(' ');
}

/** @param {string} root @param {string} packageName @param {readonly string[]} args @param {string} [command] */
async function run(root, packageName, args, command = packageName) {
  const directory = path.join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  const tool = spawn(process.execPath, [path.join(directory, bin[command]), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Prisma would ask its makers whether there is a newer version, and say so.
    env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  });
  let said = '';
  for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (chunk) => (said += chunk));
  const status = await new Promise((resolve, reject) => {
    tool.once('error', reject);
    tool.once('close', resolve);
  });
  if (status !== 0) throw new BuildProblem(`${said.trimEnd()}\nThe build failed: ${command} ${args.join(' ')}`);
}
