import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { acquireProcessLock } from '@callout/local/process';
import { eventually } from '../eventually.ts';
import { type App, BUILD_STAMP, builtMain, PACKAGES, ROOT } from './built-app.ts';

/** Packages that look for files beside their own, or that are loaded only where they are installed. */
const NOT_BUNDLED = [/^@prisma\/client/, /^@scalar\//, /^(@opentelemetry\/core|msgpackr-extract|pg-native)$/];
/** Not beside the built files, which are copied to the place where they run. */
const PLACE = path.join(ROOT, 'node_modules/.cache/callout-bundles');
const A_WEEK_MS = 7 * 24 * 3_600_000;
/** Runs a bundle, with code compiled beforehand. */
const CODE_CACHE = path.join(ROOT, 'tools/testing/jest/code-cache.cjs');
/** Loads everything, and ends because there is no catalogue. */
const NOWHERE = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  CATALOGUE_DIR: '/nowhere',
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/**
 * The built program of an app in three files instead of 1,200, with their compiled code: finding, reading and compiling
 * those is most of what a start costs. CommonJS, as Node keeps no compiled code of ES modules before version 22.
 * Made by the first test after a build, while others wait; `packages/cli` and `main-line.test.ts` start the built files
 * as they are.
 * @throws Error as `builtMain` does.
 */
export async function bundledMain(app: App): Promise<string> {
  const main = await builtMain(app);
  const bundle = path.join(PLACE, `${app}-${await hashOfBuild(app)}`);
  const program = path.join(bundle, 'main.cjs');
  await mkdir(PLACE, { recursive: true });
  const release = await eventually(async () => {
    const attempt = await acquireProcessLock(path.join(PLACE, `${app}.lock`));
    return attempt.kind === 'taken' && attempt.release;
  });
  try {
    if (!existsSync(program)) {
      // Files of a run that was killed.
      await rm(bundle, { recursive: true, force: true });
      await makeBundle(main, bundle);
      await compileBundle(bundle);
      // Last: where it is, the rest is complete.
      await writeFile(program, `require(${JSON.stringify(CODE_CACHE)}).run(${JSON.stringify(appIn(bundle))});\n`);
      await removeOld();
    }
  } finally {
    await release();
  }
  return program;
}

async function hashOfBuild(app: App): Promise<string> {
  const stamps = [...PACKAGES, `apps/${app}`].map((part) => path.join(part, BUILD_STAMP));
  const hash = createHash('sha256')
    .update(process.version)
    .update(await readFile(CODE_CACHE));
  for (const file of [...stamps, 'package-lock.json']) hash.update(await readFile(path.join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

async function makeBundle(main: string, dir: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { app: main },
    platform: 'node',
    external: NOT_BUNDLED,
    logLevel: 'silent',
    plugins: [
      {
        name: 'as CommonJS',
        transform: (code, file) => ({ code: withPlaceOf(file, file === main ? withoutAwait(code) : code, dir) }),
      },
    ],
  });
  const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
  // Code that was compiled before cannot `import()`.
  await bundle.write({ dir, format: 'cjs', dynamicImportInCjs: false, ...names });
  await bundle.close();
}

const appIn = (bundle: string) => path.join(bundle, 'app.cjs');

/** Runs the bundle once, which keeps its compiled code. */
async function compileBundle(bundle: string): Promise<void> {
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [CODE_CACHE, appIn(bundle)], { env: NOWHERE }, () => resolve());
  });
}

/** CommonJS has no `await` outside of functions. */
function withoutAwait(code: string): string {
  return `${code.replace(/^(?:import .*\n)+/, (imports) => `${imports}void (async () => {\n`)}\n})();\n`;
}

/** A source finds SQL, migrations and pages relative to its place, which is inserted here. */
function withPlaceOf(file: string, code: string, dir: string): string {
  const place = path.relative(dir, file);
  return code
    .replaceAll('import.meta.dirname', `(__dirname + ${JSON.stringify(`/${path.dirname(place)}`)})`)
    .replaceAll(
      'import.meta.url',
      `require('node:url').pathToFileURL(__dirname + ${JSON.stringify(`/${place}`)}).href`,
    );
}

/** Bundles of last week's builds and killed runs. Younger ones may be in use. */
async function removeOld(): Promise<void> {
  for (const entry of await readdir(PLACE)) {
    const file = path.join(PLACE, entry);
    const made = (await stat(file).catch(() => undefined))?.mtimeMs;
    if (made !== undefined && Date.now() - made > A_WEEK_MS) await rm(file, { recursive: true, force: true });
  }
}
