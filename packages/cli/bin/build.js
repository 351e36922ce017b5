import { spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why nothing can be started, to be shown as it is. */
export class BuildProblem extends Error {}

/**
 * Makes everything that the projects need: the Prisma client, the compiled TypeScript and, where it is wanted, the
 * console. What is up to date is left alone, which takes half a second. Silent, but for one line on stderr before a first
 * build and for errors. Turbo knows what of the client and the console is up to date, and the compiler knows it of the
 * projects; `turbo run //#emit` would also make the types of the API's clients, which takes seconds and starts nothing.
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
  const cache = path.join(root, 'node_modules/.cache');
  // Where nothing may be written nothing can be built.
  if (
    !(await mkdir(cache, { recursive: true })
      .then(() => access(cache, constants.W_OK))
      .then(
        () => true,
        () => false,
      ))
  )
    return;
  const release = await takeTurn(path.join(cache, 'callout-build.lock'));
  try {
    if (!existsSync(path.resolve(root, main)))
      process.stderr.write('Building; only the first start waits for this ...\n');
    const turbo = (task) => run(root, 'turbo', ['run', task, '--output-logs=errors-only']);
    // Types are for `npm run check` to judge: what is wrong in a test, say, is no reason not to start.
    const compiling = turbo('//#generate').then(() => run(root, 'typescript', ['-b', '--noCheck', ...projects], 'tsc'));
    // The bundler reads sources, so it need not wait for the compiler.
    await Promise.all([compiling, withConsole ? turbo('//#console') : undefined]);
  } finally {
    await release();
  }
}

const BEAT_EVERY_MS = 1_000;
/** A builder that has not touched its lock for so long was killed. */
const DEAD_AFTER_MS = 5_000;

/**
 * One build at a time: neither Turbo nor the compiler prevents that two commands write the same files at once, and read
 * each other's halves. Waits for its turn.
 *
 * @param {string} file
 * @returns {Promise<() => Promise<void>>} gives the turn to the next
 */
async function takeTurn(file) {
  while (!(await writeFile(file, '', { flag: 'wx' }).then(() => true, unlessTaken))) {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DEAD_AFTER_MS) await rm(file, { force: true });
    else await sleep(100);
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), BEAT_EVERY_MS);
  return async () => {
    clearInterval(beat);
    await rm(file, { force: true });
  };
}

/** @param {NodeJS.ErrnoException} error */
function unlessTaken(error) {
  if (error.code === 'EEXIST') return false;
  throw error;
}

/** @param {string} root @param {string} packageName @param {readonly string[]} args @param {string} [command] */
async function run(root, packageName, args, command = packageName) {
  const directory = path.join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  // Turbo would take what the database's address is for a reason to build, and Turbo and Prisma report to their makers.
  const { DATABASE_URL: _url, REDIS_URL: _redis, ...env } = process.env;
  // Turbo calls npm, which is beside Node; a crontab, say, may have neither in its PATH.
  const directories = [path.dirname(process.execPath), env.PATH].filter(Boolean).join(path.delimiter);
  const tool = spawn(process.execPath, [path.join(directory, bin[command]), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, PATH: directories, CHECKPOINT_DISABLE: '1', TURBO_TELEMETRY_DISABLED: '1' },
  });
  let printed = '';
  for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const status = await new Promise((resolve, reject) => {
    tool.once('error', reject);
    tool.once('close', resolve);
  });
  if (status !== 0) throw new BuildProblem(`${printed.trimEnd()}\nThe build failed: ${command} ${args.join(' ')}`);
}
