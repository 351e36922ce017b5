import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from '@jest/globals';
import { type AppProcess, eventually } from '@callout/testing';

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[] }[];
}

/** What processes report about the functions of this repository, without those of libraries and generated code. */
export interface CoverageReports {
  /** For the processes. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * Waits until nothing runs in some processes any more, and ends their timers.
   * @returns the source files with a function that ran since the last call, sorted
   */
  filesThatRan(processes: readonly AppProcess[]): Promise<string[]>;
  remove(): Promise<void>;
}

export async function prepareCoverage(root: string): Promise<CoverageReports> {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-coverage-'));
  const covered = pathToFileURL(path.join(import.meta.dirname, 'covered-process.mjs')).href;

  async function report(processes: readonly AppProcess[]): Promise<string[]> {
    for (const one of processes) await one.signal('SIGUSR2');
    const scripts = await eventually(async () => {
      const names = await readdir(directory);
      expect(names).toHaveLength(processes.length);
      const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
      return texts.flatMap((text) => (JSON.parse(text) as Coverage).result);
    });
    for (const name of await readdir(directory)) await rm(path.join(directory, name));
    return scripts
      .filter(hasRun)
      .map(({ url }) => sourceOf(url, root) ?? '')
      .filter((file) => file !== '');
  }

  return {
    settings: { NODE_V8_COVERAGE: directory, NODE_OPTIONS: `--import=${covered}` },
    async filesThatRan(processes) {
      const files = new Set<string>();
      for (;;) {
        const more = await report(processes);
        if (more.length === 0) return [...files].toSorted((a, b) => a.localeCompare(b));
        for (const file of more) files.add(file);
      }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Whether a function of a script has run; loading the script, which is its first function, is not counted. */
function hasRun({ functions }: Coverage['result'][number]): boolean {
  return functions.some(({ functionName, ranges: [range] }) => {
    const isScript = functionName === '' && range?.startOffset === 0;
    return !isScript && (range?.count ?? 0) > 0;
  });
}

/** The source of a built file of this repository; undefined for libraries and generated code. */
function sourceOf(url: string, root: string): string | undefined {
  if (!url.startsWith(`${pathToFileURL(root).href}/`)) return undefined;
  const file = path.relative(root, fileURLToPath(url));
  const isOurs = /^(?:apps|packages)\/[^/]+\/dist\//.test(file) && !file.includes('/generated/');
  return isOurs ? file.replace('/dist/', '/src/').replace(/\.js$/, '.ts') : undefined;
}
