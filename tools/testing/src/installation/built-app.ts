import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The processes of an installation. */
export type App = 'api' | 'worker';

export const ROOT = path.resolve(import.meta.dirname, '../../../..');
/** The packages of every app; each is built into a `dist` of its own. */
export const PACKAGES = [
  'domain',
  'runtime',
  'database',
  'queue',
  'outbound',
  'pipeline',
  'webhooks',
  'tenancy',
  'history',
  'transfer',
].map((name) => path.join('packages', name));
/** Written last by every build, also by one without changes. */
export const BUILD_STAMP = path.join('dist', '.tsbuildinfo');
const GENERATED = path.join('src', 'generated') + path.sep;

/**
 * The built program of an app.
 * @throws Error with the remedy, when it was never built or a source has changed since: a test of yesterday's program
 * would prove nothing about today's.
 */
export async function builtMain(app: App, root: string = ROOT): Promise<string> {
  const appDir = path.join('apps', app);
  for (const part of [...PACKAGES, appDir]) await mustBeFresh(path.join(root, part), part);
  return path.join(root, appDir, 'dist', 'main.js');
}

async function mustBeFresh(dir: string, part: string): Promise<void> {
  const builtAtMs = await changedAtMs(path.join(dir, BUILD_STAMP));
  if (builtAtMs === undefined) throw new Error(`${part} is not built. ${WHAT_TO_DO}`);
  for (const entry of await readdir(path.join(dir, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || /\.(test|fixture)\.ts$/.test(entry.name)) continue;
    const source = path.join(entry.parentPath, entry.name);
    // Every build writes these again, also one that another test starts at this moment.
    if (path.relative(dir, source).startsWith(GENERATED)) continue;
    if (((await changedAtMs(source)) ?? 0) <= builtAtMs) continue;
    throw new Error(`${part} is older than its source ${path.relative(dir, source)}. ${WHAT_TO_DO}`);
  }
}

const WHAT_TO_DO = 'These tests drive the built processes: run "npm run build" first, or "npm test", which builds.';

async function changedAtMs(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Not `instanceof`: Node makes its errors outside of the tenant in which Jest runs this. */
function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
