import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { takeProcessLock } from '@callout/local/process';
import { eventually } from '../eventually.ts';
import { type App, BUILD_STAMP, builtMain, PACKAGES, ROOT } from './built-app.ts';

/** What looks for files beside its own, or is loaded only where it is installed. */
const NOT_BUNDLED = [
  /^@prisma\/client/,
  /^@scalar\//,
  /^@bull-board\//,
  /^(@opentelemetry\/core|msgpackr-extract|pg-native)$/,
];
/** Not beside the built files: those are copied to where they run. */
const PLACE = path.join(ROOT, 'node_modules/.cache/callout-bundles');
const A_WEEK_MS = 7 * 24 * 3_600_000;

/**
 * The built program of an app in three files instead of 1,200: finding and reading those is two thirds of what a start costs.
 * Made by the first test after a build, while others wait; `packages/cli` and `start.test.ts` start the built files as they
 * are.
 * @throws Error as `builtMain` does.
 */
export async function bundledMain(app: App): Promise<string> {
  const main = await builtMain(app);
  const bundle = path.join(PLACE, `${app}-${await hashOfBuild(app)}`);
  await mkdir(PLACE, { recursive: true });
  const release = await eventually(async () => {
    const attempt = await takeProcessLock(path.join(PLACE, `${app}.lock`));
    return attempt.kind === 'taken' && attempt.release;
  });
  try {
    if (!existsSync(bundle)) {
      // It gets its name when it is finished: a run that is killed leaves no half of one.
      const draft = await mkdtemp(path.join(PLACE, 'draft-'));
      await makeBundle(main, draft);
      await rename(draft, bundle);
      await removeOld();
    }
  } finally {
    await release();
  }
  return path.join(bundle, 'main.js');
}

async function hashOfBuild(app: App): Promise<string> {
  const stamps = [...PACKAGES, `apps/${app}`].map((part) => path.join(part, BUILD_STAMP));
  const hash = createHash('sha256');
  for (const file of [...stamps, 'package-lock.json']) hash.update(await readFile(path.join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

async function makeBundle(main: string, dir: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: main,
    platform: 'node',
    external: NOT_BUNDLED,
    logLevel: 'silent',
    plugins: [{ name: 'places', transform: (code, file) => ({ code: withPlaceOf(file, code, dir) }) }],
  });
  await bundle.write({ dir, format: 'esm' });
  await bundle.close();
}

/** A source finds SQL, migrations and pages from where it is: it is told where it was. */
function withPlaceOf(file: string, code: string, dir: string): string {
  const place = path.relative(dir, file);
  return code
    .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${path.dirname(place)}`)})`)
    .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
}

/** Those of last week's builds and killed runs. What is younger may be in use. */
async function removeOld(): Promise<void> {
  for (const entry of await readdir(PLACE)) {
    const file = path.join(PLACE, entry);
    const made = (await stat(file).catch(() => undefined))?.mtimeMs;
    if (made !== undefined && Date.now() - made > A_WEEK_MS) await rm(file, { recursive: true, force: true });
  }
}
